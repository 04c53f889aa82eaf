"""Claims that are judged together get the verdicts that each gets alone, to the last bit."""

from dataclasses import replace

import numpy as np
import pytest
from svm_references import conflict, gaussian

from attnsvm import geometry
from attnsvm.svm import alike, separation, solve_batch
from attnsvm.svm.alike import check_all
from attnsvm.svm.checker import check

NORMS = (*geometry.NAMES, "l1.75")
SPOILED = [
    {"W": lambda a: a.W * 0.999},
    {"W": lambda a: np.full_like(a.W, np.nan)},
    {"W": lambda a: a.W.astype(np.float32)},
    {"W": lambda a: -a.W},
    {"dual": lambda a: -a.dual},
    {"dual": lambda a: np.append(a.dual[1:], np.inf)},
    {"dual": lambda a: 1e200 * a.dual},
    {"dual": lambda a: 0.0 * a.dual},
    {"dual": lambda a: a.dual[1:]},
    {"status": lambda _: "remote"},
    {"status": lambda _: "won"},
]


def said(verdict):
    """What a verdict says, NaN and signs of zero included."""
    return repr(verdict), repr(verdict.ranks)


def batch(sizes=((4, 5, 6), (3, 4, 5)), count=6):
    """Problems of two shapes, one after the other, among them some with equal logits and one with another margin."""
    some = [separation(*gaussian(seed, *sizes[seed % 2])) for seed in range(count)]
    tokens, queries, selected = gaussian(50, *sizes[0])
    sets = np.arange(tokens.shape[1]) == selected[:, None]
    sets[0, :2] = True
    return [*some, separation(tokens, queries, sets), separation(tokens, queries, selected, 1e-5), some[0]]


@pytest.mark.parametrize("norm", NORMS)
def test_verdicts_are_those_of_claims_alone(norm, monkeypatch):
    problems = batch()
    claims = solve_batch(problems, norm)
    problems, claims = list(problems), list(claims)
    for k, spoiled in enumerate(SPOILED):
        problems.append(problems[k % 6])
        claims.append(replace(claims[k % 6], **{name: make(claims[k % 6]) for name, make in spoiled.items()}))
    given = [(c.factors, c.bound, c.equality) for c in problems]
    alone, asked = [], []
    monkeypatch.setattr(alike, "check", lambda *one: asked.append(one) or check(*one))
    for tol in (1e-7, 1e-16, np.nan):
        together = check_all(given, norm, tol, claims)
        alone = [check(*one, norm, tol, claim) for one, claim in zip(given, claims, strict=True)]
        assert [said(one) for one in together] == [said(one) for one in alone]
    assert sum(one.status == "solved" for one in check_all(given, norm, 1e-7, claims)) >= 8
    monkeypatch.undo()
    assert len(asked) < 3 * len(claims)  # some are judged together


def test_numbers_out_of_range_are_left_to_the_checker():
    """A row, a query or a token that does not exist, tokens too large to judge, bounds that are no numbers."""
    c = separation(*gaussian(1))
    claim = solve_batch([c])[0]
    factors = c.factors
    for spoiled in (
        factors._replace(winner=factors.winner + len(factors.tokens)),
        factors._replace(loser=factors.loser - len(factors.tokens)),
        factors._replace(query=np.full_like(factors.query, -1)),
        factors._replace(tokens=factors.tokens * 1e70),
        factors._replace(queries=np.where(factors.queries > 0, np.nan, 1.0)),
    ):
        one, good = (spoiled, c.bound, c.equality), (factors, c.bound, c.equality)
        together = check_all([one, good, one, good], "fro", 1e-10, [claim] * 4)
        alone = check(*one, "fro", 1e-10, claim)
        assert [said(verdict) for verdict in together[::2]] == [said(alone)] * 2
        assert alone.status == "uncertified"
        assert [verdict.status for verdict in together[1::2]] == ["solved"] * 2
    nan = (factors, np.append(c.bound[1:], np.nan), c.equality)
    assert check_all([nan, nan], "fro", 1e-10, [claim] * 2)[1].status == "uncertified"


def test_nothing_and_what_is_refuted():
    assert check_all([], "fro", 1e-10, []) == []
    c = separation(*conflict())
    claims = solve_batch([c, c])
    assert [claim.status for claim in claims] == ["infeasible"] * 2
    assert [one.status for one in check_all([(c.factors, c.bound, c.equality)] * 2, "fro", 1e-10, claims)] == [
        "infeasible"
    ] * 2


@pytest.mark.parametrize("kind", [np.ndarray.tolist, np.ma.array, lambda a: np.ma.masked_less(a, 0.1), np.matrix, str])
@pytest.mark.parametrize("name", ["W", "dual"])
def test_arrays_of_other_classes_are_left_to_the_checker(kind, name):
    """Which takes plain numbers for what they are, and nothing where some are masked."""
    c = separation(*gaussian(1))
    claim = solve_batch([c])[0]
    claim = replace(claim, **{name: kind(getattr(claim, name))})
    problem = c.factors, c.bound, c.equality
    alone = check(*problem, "fro", 1e-10, claim)
    assert [said(one) for one in check_all([problem] * 2, "fro", 1e-10, [claim] * 2)] == [said(alone)] * 2
    hidden = np.ma.is_masked(getattr(claim, name)) or isinstance(getattr(claim, name), str)
    assert alone.status == ("uncertified" if hidden or (kind, name) == (np.matrix, "dual") else "solved")
