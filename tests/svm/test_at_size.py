"""Some hundred constraints and more: the methods that take over there, against those they take over from."""

import time
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from edge import narrow
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from svm_references import nasty

from attnsvm.svm import Constraints, Status, ragged, reductions, separation, sequence, solve
from attnsvm.svm.methods import choice, conic, lagrangian
from attnsvm.svm.methods.choice import ACTIVE_SET, CONIC, INTERIOR, LAGRANGIAN, PIVOTING, REDUCED, SIZES, WORKING_SET
from attnsvm.system import machine

CASES = settings(max_examples=30, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])


def planted(seed, n, T, d, e=None):
    """Unit Gaussian tokens and queries; the selected tokens are those of a Gaussian W, so a separator exists."""
    rng = np.random.default_rng(seed)
    tokens, queries = rng.normal(size=(n, T, d)), rng.normal(size=(n, e or d))
    tokens /= np.linalg.norm(tokens, axis=-1, keepdims=True)
    queries /= np.linalg.norm(queries, axis=-1, keepdims=True)
    logits = np.einsum("ntd,de,ne->nt", tokens, rng.normal(size=(d, e or d)), queries)
    return tokens, queries, logits.argmax(1)


def with_sets(seed, n, T, d):
    """The planted token and, in every third input, a second one with the same logit."""
    tokens, queries, selected = planted(seed, n, T, d)
    sets = np.eye(T, dtype=bool)[selected]
    sets[::3, 0] = True
    return tokens, queries, sets


def explicit(c):
    """The same constraints as plain arrays."""
    return Constraints(c.left.copy(), c.right.copy(), c.bound, c.equality, c.index)


def test_no_left_or_right_array_is_formed_on_the_way():
    c = separation(*planted(0, 60, 20, 8))
    assert solve(c).solved
    assert not {"left", "right"} & set(vars(c))


# ---------------------------------------------------------------------------------- methods agree around the switches


@pytest.mark.parametrize(
    ("size", "d"),
    [(SIZES.never_formed - 10, 8), (SIZES.lagrangian - 10, 8), (SIZES.lagrangian, 40), (SIZES.lagrangian, 4)],
)
@pytest.mark.parametrize("draw", [planted, with_sets])
def test_frobenius_methods_agree(size, draw, d):
    c = separation(*draw(size + d, size // 10, 11, d))
    answers = {method: solve(c, method=method) for method in (ACTIVE_SET, LAGRANGIAN)}
    exact, ours = answers[ACTIVE_SET], answers[LAGRANGIAN]
    assert exact.status is ours.status
    formed = size < (SIZES.never_formed if c.equality.any() else SIZES.lagrangian)
    assert solve(c).method == ((ACTIVE_SET if c.equality.any() else PIVOTING) if formed else LAGRANGIAN)
    assert [answer.method for answer in answers.values()] == [ACTIVE_SET, LAGRANGIAN]
    if exact.solved:
        assert ours.gap <= 1e-10
        # A gap g pins W down to √(2 g)‖W‖ in the worst case; with margins met to 1e-10 it is nearer.
        np.testing.assert_allclose(ours.W, exact.W, rtol=0, atol=1e-8 * np.linalg.norm(exact.W))
        assert ours.rank == exact.rank


@pytest.mark.parametrize("size", [SIZES.nuclear_working_set - 20, SIZES.nuclear_working_set + 20])
@pytest.mark.parametrize("draw", [planted, with_sets])
def test_nuclear_methods_agree(size, draw):
    c = separation(*draw(size, size // 20, 21, 8))
    answers = [
        solve(c, "nuc", method=method) for method in (INTERIOR, INTERIOR + WORKING_SET, CONIC, CONIC + WORKING_SET)
    ]
    assert solve(c, "nuc").method == (INTERIOR if size < SIZES.nuclear_working_set else INTERIOR + WORKING_SET)
    # The conic solver on all constraints stops at a gap of up to 1e-6; what it claims it proves.
    assert all(answer.solved for answer in answers if answer.method != CONIC)
    values = [np.linalg.norm(answer.W, "nuc") for answer in answers]
    # Each value lies above the optimum by its own gap at most.
    assert np.ptp(values[:2]) <= 1e-8 * min(values)
    assert np.ptp(values) <= 1e-6 * min(values)
    assert answers[0].rank == answers[1].rank == answers[1].rank_bound


@pytest.mark.parametrize("norm", ["spectral", "l1", "linf", "l1.75", "rowmax", "rowsum"])
def test_conic_methods_agree(norm):
    c = separation(*planted(5, SIZES.working_set // 10 + 1, 11, 6))
    answers = [solve(c, norm, method=method) for method in (CONIC, CONIC + WORKING_SET, None)]
    assert answers[2].method == (CONIC if norm in choice.WITHOUT else REDUCED) + WORKING_SET
    assert all(answer.solved for answer in answers)
    values = [answer.gap for answer in answers]
    assert max(values) <= 1e-7


@pytest.mark.parametrize("norm", choice.WITHOUT)
def test_norms_of_rows_take_as_many_columns_as_there_are_queries(norm, monkeypatch):
    seen, solved = [], conic._as_it_is
    monkeypatch.setattr(conic, "_as_it_is", lambda rows, *rest: seen.append(rows.shape[1]) or solved(rows, *rest))
    for arguments in (with_sets(7, 3, 5, 24), planted(8, 10, 17, 64)):
        kept = conic._program.cache_info().currsize
        assert solve(separation(*arguments), norm).solved
    assert set(seen) == {24 * 3, 64 * 10}
    assert conic._program.cache_info().currsize == kept  # the second is too large to wait for another of its shape


@pytest.mark.parametrize("norm", ["fro", "nuc", "l1"])
def test_a_method_of_another_norm_is_refused(norm):
    c = separation(*planted(0, 3, 4, 5))
    with pytest.raises(ValueError, match=f"method: expected None or one of .* for the norm {norm}, got 'simplex'"):
        solve(c, norm, method="simplex")
    with pytest.raises(ValueError, match="method: expected"):
        solve(c, norm, method=INTERIOR if norm == "fro" else ACTIVE_SET)


# ------------------------------------------------------------------------------------ every answer at size is proved


@st.composite
def extremes(draw):
    """Tokens almost equal, lengths over many orders, inputs almost in conflict, a large common offset."""
    n, T, d = draw(st.integers(22, 40)), draw(st.integers(8, 20)), draw(st.integers(6, 16))
    seed = draw(st.integers(0, 2**32))
    rng = np.random.default_rng(seed)
    tokens, queries, selected = planted(seed, n, T, d)
    kind = draw(st.sampled_from(["near", "scales", "conflict", "offset"]))
    if kind == "conflict":
        i, j = rng.permutation(n)[:2]
        tokens[j], queries[j] = tokens[i], queries[i] + 10 ** rng.uniform(-6, -1) * rng.normal(size=d)
        selected[j] = (selected[i] + 1) % T
        return tokens, queries, selected
    if kind == "near":
        tokens[:, 1] = tokens[:, 0] + 10 ** rng.uniform(-8, -2) * tokens[:, 1]
    elif kind == "scales":
        tokens *= 10 ** rng.uniform(-4, 4, size=(n, 1, 1))
        queries *= 10 ** rng.uniform(-3, 3, size=(n, 1))
    else:
        tokens += 1e4 * rng.normal(size=d)
    return tokens, queries, np.einsum("ntd,de,ne->nt", tokens, rng.normal(size=(d, d)), queries).argmax(1)


@CASES
@given(problem=extremes())
def test_extremes_are_solved_too(problem):
    """All but some of those in conflict have a separator, of a norm of up to 1e9."""
    solution = solve(separation(*problem))
    assert solution.status in (Status.SOLVED, Status.INFEASIBLE, Status.REMOTE), (solution.gap, solution.rejected)


FAR = 1e12  # a norm that collinear or repeated tokens ask for when rounding alone tells them apart


def outcome(solution):
    """Its status; one word for what is not decided since every W is far away."""
    undecided = solution.status is Status.UNCERTIFIED and solution.low >= FAR
    return "far" if undecided or solution.status is Status.REMOTE else solution.status


@pytest.mark.parametrize("norm", ["fro", "nuc"])
@CASES
@given(problem=nasty((10, 30), (8, 16), (1, 12)))
def test_every_answer_is_proved(norm, problem):
    c = separation(*problem)
    found = outcome(solve(c, norm))
    assert found in (Status.SOLVED, Status.INFEASIBLE, "far")
    if norm == "fro" and found != "far":
        assert outcome(solve(c, method=LAGRANGIAN)) is outcome(solve(c, method=ACTIVE_SET)) is found


@pytest.mark.parametrize("causal", [False, True])
def test_sequences_at_size(causal):
    rng = np.random.default_rng(0)
    tokens = rng.normal(size=(4, 12, 24))
    W = rng.normal(size=(24, 24))
    logits = np.einsum("ntd,de,nke->nkt", tokens, W, tokens)
    if causal:
        logits[:, np.arange(12)[:, None] < np.arange(12)] = -np.inf
    c = sequence(tokens, logits.argmax(-1), causal)
    assert len(c) > SIZES.never_formed
    one, other = solve(c, method=LAGRANGIAN), solve(explicit(c), method=ACTIVE_SET)
    np.testing.assert_allclose(other.W, one.W, rtol=0, atol=1e-8 * np.linalg.norm(one.W))


# ------------------------------------------------------------------------------------- inputs of different lengths


@pytest.mark.parametrize("count", [6, 60])
def test_ragged_constraints_are_their_definition(count):
    """Lengths from one token up, numbers and sets mixed; small and at size."""
    rng = np.random.default_rng(0)
    inputs = []
    for i in range(count):
        T = 1 + i % 7
        tokens, query, a = rng.normal(size=(T, 30)), rng.normal(size=8), int(rng.integers(T))
        inputs.append((tokens, query, a if i % 2 else np.eye(T, dtype=bool)[a] | (np.arange(T) == 0)))
    c = ragged(iter(inputs))
    k = 0
    for i, (tokens, query, chosen) in enumerate(inputs):
        members = [chosen] if np.ndim(chosen) == 0 else np.flatnonzero(chosen)
        for t in (t for t in range(len(tokens)) if t != members[0]):
            assert c.index[k].tolist() == [i, members[0], t]
            assert c.equality[k] == (t in members)
            np.testing.assert_array_equal(c.left[k], tokens[members[0]] - tokens[t])
            np.testing.assert_array_equal(c.right[k], query)
            k += 1
    assert k == len(c)
    assert solve(c).solved


@pytest.mark.parametrize(
    ("inputs", "sentence"),
    [
        ([], "inputs: expected at least one"),
        ([(np.ones((3, 2)), np.ones(2))], r"input 0: expected \(tokens, query, selected\)"),
        ([(np.ones((3, 2)), np.ones(2), 3)], "selected of input 0: expected token numbers from 0 to 2, got 3"),
        (
            [(np.ones((3, 2)), np.ones(2), 0), (np.ones((3, 4)), np.ones(2), 0)],
            r"tokens of input 1: .* \(T, 2\), got \(3, 4\)",
        ),
        (
            [(np.ones((3, 2)), np.ones(2), 0), (np.ones((3, 2)), np.ones(3), 0)],
            r"query of input 1: .* \(2,\), got \(3,\)",
        ),
    ],
)
def test_a_bad_ragged_input_is_named(inputs, sentence):
    with pytest.raises(ValueError, match=sentence):
        ragged(inputs)


# -------------------------------------------------------------------------------------------------- bad input at size


@pytest.mark.parametrize("norm", ["fro", "nuc", "l1", "spectral", "hybrid"])
def test_what_takes_more_than_there_is_is_refused_before_the_solve(norm, monkeypatch):
    monkeypatch.setattr(choice, "NOTICED", 0)
    monkeypatch.setattr(choice, "HOURS", 0.1)
    memory, problem, words = 1e5, planted(0, 100, 12, 8), "1100 constraints on a 8 x 8 matrix, .* GB are free"
    if norm in ("spectral", "hybrid"):
        memory, problem, words = 1e12, planted(0, 60, 5, 70), "240 constraints on a 70 x 70 matrix, .* hours"
    monkeypatch.setattr(machine, "memory", lambda: memory)
    with pytest.raises(MemoryError, match=words):
        solve(separation(*problem), norm, method=CONIC if norm in ("spectral", "hybrid") else None)


@pytest.mark.parametrize("norm", ["hybrid", "l1.1", "l1.75", "l3.0", "l8.0"])
def test_few_constraints_on_a_large_matrix_take_seconds(norm):
    started = time.process_time()
    answer = solve(separation(*planted(0, 4, 5, 200 if norm == "l8.0" else 100)), norm)
    assert answer.solved, answer.rejected
    assert answer.gap <= 1e-9
    assert time.process_time() - started < 5


@pytest.mark.parametrize("norm", ["l1", "linf", "rowmax", "l1.75"])
def test_queries_of_lengths_24_powers_of_ten_apart_take_no_square_of_the_entries(norm):
    """What no row sees had coordinates of its own, 1600² numbers or 20 MB: eight constraints took minutes."""
    rng = np.random.default_rng(0)
    tokens, queries = rng.normal(size=(4, 3, 40)), rng.normal(size=(4, 40))
    queries *= np.array([1e-12, 1e-4, 1e4, 1e12])[:, None]
    solve(separation(*planted(0, 4, 3, 6)), norm)  # imports
    tracemalloc.start()
    answer = solve(separation(tokens, queries, np.zeros(4, dtype=int)), norm)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert answer.solved, answer.rejected
    assert peak < 8 * 1600**2


def test_rounds_without_gain_end_by_what_they_cost():
    """Feasible by 1e-6: fourteen rounds see no positive margins, and cost little. Without factors none is cheap."""
    problem, counts = reductions.Reduced(separation(*narrow(0, 1e-6, 200, 33, 20))), []
    _, _, feasible, error = lagrangian.least_norm(problem)
    assert feasible
    assert error < 1e-8
    problem = reductions.Reduced(separation(*narrow(0, 1e-6)))
    for wasted in (np.inf, 0.0):
        lines, options = [], replace(lagrangian.OPTIONS, patience=np.inf, wasted=(wasted, 1.0))
        lagrangian.least_norm(problem, lines.append, options)
        counts.append(len(lines))
    assert counts[1] < counts[0]


def test_a_long_solve_reports():
    lines = []
    solve(separation(*planted(0, 60, 12, 8)), "nuc", report=lines.append)
    assert any("relative gap" in line and line.startswith("round 1:") for line in lines)
    assert any(line.startswith("working set 1:") for line in lines)
