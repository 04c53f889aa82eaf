"""Constraints against their definition, and arrays from outside refused with one sentence."""

import numpy as np
import pytest
from svm_references import FIELDS

from attnsvm.svm import Constraints, separation, sequence, solve
from attnsvm.svm.constraints import separations

RNG = np.random.default_rng(0)
TOKENS, QUERIES = RNG.normal(size=(3, 4, 5)), RNG.normal(size=(3, 5))


def definition(tokens, queries, chosen):
    """{(input, other token): (matrix, bound, equality)} straight from the definition, sets given as booleans."""
    rows = {}
    for i in range(len(tokens)):
        alpha = next(t for t in range(len(chosen[i])) if chosen[i][t])
        for t in range(len(chosen[i])):
            if t != alpha:
                matrix = np.outer(tokens[i, alpha] - tokens[i, t], queries[i])
                rows[i, t] = (matrix, 0.0 if chosen[i][t] else 1.0, chosen[i][t])
    return rows


@pytest.mark.parametrize("chosen", [np.eye(4, dtype=bool)[[0, 2, 3]], RNG.random((3, 4)) < 0.6])
def test_separation_is_its_definition(chosen):
    chosen[:, 1] |= ~chosen.any(1)
    c = separation(TOKENS, QUERIES, chosen)
    wanted = definition(TOKENS, QUERIES, chosen)
    assert len(c) == len(wanted)
    W = RNG.normal(size=(5, 5))
    for k, (i, _, t) in enumerate(c.index):
        matrix, bound, equality = wanted[i, t]
        assert np.isclose(c.apply(W)[k], (matrix * W).sum(), rtol=1e-12)
        assert (c.bound[k], c.equality[k]) == (bound, equality)
    dual = RNG.normal(size=len(c))
    assert np.isclose((c.adjoint(dual) * W).sum(), dual @ c.apply(W), rtol=1e-12)


def test_a_token_number_is_a_set_of_one():
    numbers, sets = np.array([0, 2, 3]), np.eye(4, dtype=bool)[[0, 2, 3]]
    one, other = separation(TOKENS, QUERIES, numbers), separation(TOKENS, QUERIES, sets)
    assert all((getattr(one, name) == getattr(other, name)).all() for name in FIELDS)


@pytest.mark.parametrize("causal", [False, True])
def test_sequence_constraints_are_their_definition(causal):
    selected = RNG.integers(0, 4, (3, 4))
    if causal:
        selected = np.minimum(selected, np.arange(4))
    c = sequence(TOKENS, selected, causal)
    wanted = {
        (i * 4 + k, t): np.outer(TOKENS[i, selected[i, k]] - TOKENS[i, t], TOKENS[i, k])
        for i in range(3)
        for k in range(4)
        for t in range(k + 1 if causal else 4)
        if t != selected[i, k]
    }
    assert {(place, t) for place, _, t in c.index.tolist()} == set(wanted)
    W = RNG.normal(size=(5, 5))
    values = dict(zip([(place, t) for place, _, t in c.index.tolist()], c.apply(W), strict=True))
    assert all(np.isclose(values[key], (matrix * W).sum(), rtol=1e-12) for key, matrix in wanted.items())


def with_nan(array):
    array = array.copy()
    array.flat[0] = np.nan
    return array


@pytest.mark.parametrize(
    ("tokens", "queries", "selected", "sentence"),
    [
        (with_nan(TOKENS), QUERIES, [0, 1, 2], r"tokens: expected finite numbers in shape \(n, T, d\), got NaN"),
        (TOKENS, QUERIES * np.inf, [0, 1, 2], r"queries: expected finite numbers"),
        (TOKENS[0], QUERIES, [0, 1, 2], r"tokens: expected shape \(n, T, d\), got \(4, 5\)"),
        (TOKENS, QUERIES[:2], [0, 1, 2], r"queries: expected shape \(n, e\) with n = 3 as in tokens, got \(2, 5\)"),
        (TOKENS, QUERIES, [0, 1], r"selected: expected integers of shape \(3,\), got int64 of shape \(2,\)"),
        (TOKENS, QUERIES, [0, 1, 4], r"selected: expected token numbers from 0 to 3, got 0 to 4"),
        (TOKENS, QUERIES, [0, -1, 2], r"selected: expected token numbers from 0 to 3, got -1 to 2"),
        (TOKENS, QUERIES, [0.0, 1.0, 2.0], r"selected: expected integers of shape \(3,\), got float64"),
        (TOKENS, QUERIES, np.zeros((3, 4), bool), r"selected: expected a token in every set, got none for input 0"),
        (TOKENS, QUERIES, np.ones((4, 3), bool), r"selected: expected a boolean array of shape \(3, 4\), got \(4, 3\)"),
        (TOKENS[:0], QUERIES[:0], [], r"tokens: expected shape \(n, T, d\), got \(0, 4, 5\)"),
        ("tokens", QUERIES, [0, 1, 2], r"tokens: expected real numbers, got dtype"),
        ([[[1.0], [2.0, 3.0]]], QUERIES, [0], r"tokens: expected shape \(n, T, d\), got rows of different lengths"),
        (TOKENS * 1e-200, QUERIES, [0, 1, 2], r"tokens: expected numbers of size 1e-50 to 1e50"),
        (TOKENS, QUERIES * 1e160, [0, 1, 2], r"queries: expected numbers of size 1e-50 to 1e50"),
    ],
)
def test_a_bad_array_is_named_with_the_shape_received_and_the_shape_expected(tokens, queries, selected, sentence):
    with pytest.raises(ValueError, match=sentence):
        separation(tokens, queries, selected)


def test_a_causal_selection_ahead_of_its_position_is_refused():
    with pytest.raises(ValueError, match="selected: expected causal token numbers"):
        sequence(TOKENS, np.full((3, 4), 3), causal=True)


@pytest.mark.parametrize(("n", "T"), [(1, 1), (3, 4), (5, 40)], ids=["no constraint", "few", "many"])
@pytest.mark.parametrize("kind", ["tokens", "sets", "margins"])
def test_problems_built_together_are_those_built_one_by_one(n, T, kind):
    draw = np.random.default_rng(n)
    tokens, queries = draw.normal(size=(3, n, T, 2)), draw.normal(size=(3, n, 4))
    selected, bounds = draw.integers(T, size=(3, n)), [1.0] * 3
    if kind == "sets":
        selected = (draw.random((3, n, T)) < 0.5) | (np.arange(T) == selected[..., None])
    if kind == "margins":
        bounds = list(draw.random((3, n)))
    together = separations(tokens, queries, selected, bounds)
    alone = [separation(*one) for one in zip(tokens, queries, selected, bounds, strict=True)]
    for mine, theirs in zip(together, alone, strict=True):
        for name in (*FIELDS, "asks"):
            a, b = getattr(mine, name), getattr(theirs, name)
            assert (a.dtype, a.shape) == (b.dtype, b.shape)
            assert (a == b).all()


def test_a_bad_array_among_many_is_named():
    tokens, queries, selected = np.ones((2, 3, 4, 5)), np.ones((2, 3, 5)), np.zeros((2, 3), dtype=int)
    for wrong, sentence in (
        ((tokens * np.nan, queries, selected), "tokens: expected finite numbers"),
        ((tokens, queries[:, :2], selected), "queries: expected shape"),
        ((tokens, queries, selected + 4), "selected: expected token numbers from 0 to 3"),
        ((tokens[:1], queries, selected), "tokens: expected shape"),
    ):
        with pytest.raises(ValueError, match=sentence):
            separations(*wrong, [1.0, 1.0])
    assert separations(tokens[:0], queries[:0], selected[:0], []) == []


@pytest.mark.parametrize("norm", ["fro", "nuc"])
@pytest.mark.parametrize("m", [60, 200])
def test_rows_of_one_number_may_have_different_queries(m, norm):
    """Numbers of inputs describe rows: what is solved, and judged, are the rows themselves."""
    rng = np.random.default_rng(0)
    left, right, W = rng.normal(size=(m, 3)), rng.normal(size=(m, 4)), rng.normal(size=(3, 4))
    left *= np.sign(np.einsum("ka,ab,kb->k", left, W, right))[:, None]
    one, own = (
        solve(
            Constraints(left, right, np.ones(m), np.zeros(m, dtype=bool), np.outer(inputs, np.ones(3, dtype=int))), norm
        )
        for inputs in (np.zeros(m, dtype=int), np.arange(m))
    )
    assert one.solved
    assert own.solved
    np.testing.assert_allclose(one.W, own.W, rtol=1e-6)


def test_opposite_queries_of_one_input_are_not_taken_for_one():
    opposite = np.array([[1.0, 0.0], [-1.0, 0.0]])
    rows = np.ones((2, 1)), opposite, np.ones(2), np.zeros(2, dtype=bool), np.zeros((2, 3), dtype=int)
    assert solve(Constraints(*rows)).status == "infeasible"
