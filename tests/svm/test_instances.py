"""Batches of instances: every answer is that of its own constraints, and every one is counted."""

from collections import Counter

import numpy as np
import pytest

from attnsvm.data.problems import Problems
from attnsvm.svm import as_arrays, certified, separation, sequence, solve
from attnsvm.svm.audit_log import judged
from attnsvm.svm.instances import certified_once

S, n, T, d = 6, 4, 3, 4


def instances():
    """The last one is the same input twice over, which no W can serve with different tokens."""
    rng = np.random.default_rng(0)
    tokens, queries = rng.normal(size=(S, n, T, d)), rng.normal(size=(S, n, d))
    tokens[-1], queries[-1] = tokens[-1, 0], queries[-1, 0]
    problems = Problems(tokens, queries, np.ones((S, n)), rng.normal(size=(S, d)), np.arange(S))
    return problems, np.concatenate([rng.integers(0, T, (S - 1, n)), [[0, 1, 2, 0]]])


@pytest.mark.parametrize("norm", ["fro", "nuc"])
@pytest.mark.parametrize("attention", ["cross", "self"])
def test_one_token_per_input(norm, attention):
    problems, selected = instances()
    queries = problems.queries if attention == "cross" else problems.tokens[:, :, 0]
    found = certified(problems, selected, norm, attention)
    for s in range(S):
        alone = solve(separation(problems.tokens[s], queries[s], selected[s]), norm)
        assert found["status"][s] == alone.status.value
        np.testing.assert_allclose(found["W"][s], alone.W, rtol=0, atol=1e-5)


@pytest.mark.parametrize("causal", [False, True])
def test_one_token_per_position(causal):
    problems, _ = instances()
    selected = np.minimum(np.random.default_rng(1).integers(0, T, (S, n, T)), np.arange(T))
    found = certified(problems, selected, "fro", "causal" if causal else "sequence", ranks=True)
    alone = [solve(sequence(x, a, causal)) for x, a in zip(problems.tokens, selected, strict=True)]
    assert "rank" not in as_arrays(alone)
    alone = as_arrays(alone, ranks=True)
    for name in ("status", "W", "dual", "gap", "rank"):
        np.testing.assert_array_equal(found[name], alone[name])
    flat = certified(problems, selected.reshape(S, n * T), "fro", "causal" if causal else "sequence")
    np.testing.assert_array_equal(flat["W"], found["W"])


@pytest.mark.parametrize("norm", ["fro", "nuc", "l1"])
def test_the_ledger_counts_every_answer_once(norm):
    before = judged.copy()
    found = certified(*instances(), norm)
    assert judged - before == Counter(found["status"].tolist())
    assert sum((judged - before).values()) == S
    assert judged["infeasible"] > before["infeasible"]


def test_what_several_runs_select_alike_is_solved_once():
    problems, selected = instances()
    other = np.where(np.arange(S)[:, None] < 2, (selected + 1) % T, selected)  # the first two instances differ
    found = certified_once(problems, {"one": selected, "other": other}, ("fro", "nuc"))
    assert len(found["selected"]) == S + 2
    for name, chosen in (("one", selected), ("other", other)):
        np.testing.assert_array_equal(found["selected"][found["place"][name]], chosen)
        for norm in ("fro", "nuc"):
            alone, answers = certified(problems, chosen, norm), found["solutions"][norm]
            np.testing.assert_array_equal(answers["status"][found["place"][name]], alone["status"])
            np.testing.assert_allclose(answers["W"][found["place"][name]], alone["W"], rtol=0, atol=1e-5)
