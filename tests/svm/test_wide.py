"""Far more dimensions than constraints: solved, proved and written in the spans of tokens and queries."""

import re
import time
import tracemalloc

import numpy as np
import pytest
from svm_references import conflict, edit, gaussian

from attnsvm import AttentionSVM, command
from attnsvm.svm import certificate, ragged, reductions, separation, sequence, solve
from attnsvm.system.errors import UserError

INVARIANT = ["fro", "nuc", "spectral"]


def arrays(d, e=None, n=4, T=5):
    return gaussian(0, n, T, d, e)


@pytest.mark.parametrize("norm", ["fro", "nuc"])
def test_twenty_thousand_dimensions_take_less_than_a_second_and_no_matrix(norm):
    problem = separation(*arrays(20_000))
    solve(separation(*arrays(600)), norm)  # imports
    tracemalloc.start()
    started = time.process_time()
    answer = solve(problem, norm)
    seconds, (_, peak) = time.process_time() - started, tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert answer.solved
    assert seconds < 1.0
    assert peak < 0.1 * 8 * 20_000**2
    left, right = answer.factors
    assert left.shape[0] == right.shape[0] == 20_000
    assert left.shape[1] == right.shape[1] <= 4


def test_inputs_of_lengths_many_powers_of_ten_apart_are_solved():
    """Margins of factors are known to the rounding of the longest one: W is formed, and judged exactly."""
    for seed in range(4):
        rng = np.random.default_rng(seed)
        tokens, queries = rng.normal(size=(3, 4, 600)), rng.normal(size=(3, 500))
        queries *= 10 ** rng.uniform(-12, 12, size=(3, 1))
        answer = solve(separation(tokens, queries, rng.integers(4, size=3)))
        assert answer.solved, answer.rejected


@pytest.mark.parametrize("norm", INVARIANT)
@pytest.mark.parametrize(
    "made",
    [
        lambda: separation(*arrays(80)),
        lambda: separation(*arrays(80, 70), bound=np.array([1.0, 2.0, 0.0, 1.0])),
        lambda: separation(*arrays(20, 300, n=12)),  # the queries alone have a small span
        lambda: sequence(arrays(90, n=2, T=4)[0], np.array([[0, 1, 0, 2], [3, 3, 1, 0]])),
        lambda: separation(*arrays(80)[:2], np.eye(5, dtype=bool)[[0, 1, 2, 3]] | (np.arange(5) == 4)),
    ],
    ids=["square", "bounds", "queries", "sequence", "sets"],
)
def test_coordinates_give_what_the_whole_matrix_gives(norm, made, monkeypatch):
    problem = made()
    monkeypatch.setattr(reductions, "WIDE", 2**12)
    narrow = solve(problem, norm)
    monkeypatch.setattr(reductions, "WIDE", np.inf)
    whole = solve(problem, norm)
    assert (narrow.factors is None, whole.factors) == (False, None)
    assert (narrow.status, narrow.rank_bound) == (whole.status, whole.rank_bound)
    if norm != "spectral":  # which has many solutions, of different ranks
        assert narrow.rank == whole.rank
    size = {"fro": "fro", "nuc": "nuc", "spectral": 2}[norm]
    assert np.isclose(np.linalg.norm(narrow.W, size), np.linalg.norm(whole.W, size), rtol=3e-7)
    assert narrow.shape == narrow.W.shape == whole.shape == problem.shape
    np.testing.assert_allclose(narrow.on(problem.right[:3]), problem.right[:3] @ narrow.W.T, atol=1e-12)
    if norm == "fro":  # the solution is unique
        np.testing.assert_allclose(narrow.W, whole.W, atol=1e-9 * np.abs(whole.W).max())


def test_a_problem_whose_spans_are_everything_is_not_taken_apart(monkeypatch):
    assert solve(separation(*arrays(100))).factors is None, "narrow"
    monkeypatch.setattr(reductions, "WIDE", 2**8)
    assert solve(separation(*arrays(100))).factors is not None
    assert solve(separation(*arrays(20, n=30, T=2))).factors is None


def test_a_conflict_is_refuted_in_coordinates():
    answer = solve(separation(*conflict(5000)))
    assert (answer.status, answer.rejected) == ("infeasible", "")


def test_an_estimator_predicts_from_the_factors_alone():
    tokens, queries, selected = arrays(20_000)
    tracemalloc.start()
    model = AttentionSVM().fit(tokens, queries, selected)
    assert model.predict(tokens, queries).tolist() == selected.tolist()
    pairs = list(zip(tokens, queries, strict=True))
    assert model.score(pairs, selected) == 1.0
    assert np.isclose(model.margin_ * model.solution_.high, 1.0)
    assert tracemalloc.get_traced_memory()[1] < 0.1 * 8 * 20_000**2
    tracemalloc.stop()


@pytest.fixture
def solved(tmp_path):
    """A function: the file of an answer in 600 dimensions, made by the command."""

    def run(given, norm="fro"):
        np.savez(tmp_path / "tokens.npz", **dict(zip(("tokens", "queries", "selected"), given, strict=True)))
        out = tmp_path / f"{norm}.npz"
        assert command.main(["solve", str(tmp_path / "tokens.npz"), "--norm", norm, "--out", str(out)]) == 0
        return out

    return run


@pytest.mark.parametrize("norm", INVARIANT)
def test_factors_in_a_file_prove_what_the_matrix_would(norm, solved, capsys):
    path = solved(arrays(600), norm)
    held = certificate.load(path)
    assert "W" not in held
    assert held["W_left"].shape[0] == held["W_right"].shape[0] == 600
    said = capsys.readouterr().out
    value = np.linalg.norm(held["W_left"] @ held["W_right"].T, {"fro": "fro", "nuc": "nuc", "spectral": 2}[norm])
    low, high = (float(number) for number in re.search("between (.*) and (.*), relative", said).groups())
    assert low * (1 - 1e-9) <= value <= high * (1 + 1e-9)
    inputs = certificate.read(path.parent / "tokens.npz")
    assert np.isclose(value, np.linalg.norm(solve(ragged(inputs), norm).W, {"spectral": 2}.get(norm, norm)))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"W_left": lambda A: 0.99 * A}, "a constraint is violated"),
        ({"W_right": lambda A: A + 1e-3 * np.eye(*A.shape)}, "a constraint is violated|gap is too large"),
        ({"W_left": lambda A: A[:-1]}, r"expected W of shape \(600, 600\)"),
        ({"W_right": lambda A: A[:, 1:]}, r"expected W of shape \(600, 600\)"),
        ({"W_left": lambda A: A[0]}, r"expected W of shape \(600, 600\)"),
    ],
)
def test_altered_factors_are_refused(change, sentence, solved):
    path = solved(arrays(600))
    edit(path, **change)
    with pytest.raises(UserError, match=sentence):
        certificate.verify(path)


def test_the_factors_and_one_of_them_missing(solved):
    path = solved(arrays(600))
    held = dict(certificate.load(path))
    del held["W_right"]
    np.savez(path, **held)
    with pytest.raises(UserError, match="the array W_right is missing"):
        certificate.verify(path)
