"""Problems put together: on one matrix, and on several with one common margin."""

import numpy as np
import pytest
from svm_references import FIELDS, conflict, gaussian

from attnsvm import geometry
from attnsvm.svm import Status, block_diagonal, diagonal_blocks, join, separation, solve, solve_blocks


def one(seed, n=3, T=4, d=5, e=5, bound=1.0):
    return separation(*gaussian(seed, n, T, d, e), bound)


def test_joined_constraints_are_those_of_all_inputs_at_once():
    tokens, queries, selected = gaussian(0, 5)
    margins = np.array([1.0, 0.0, 2.0, 1.0, 0.0])
    whole = separation(tokens, queries, selected, margins)
    pieces = [separation(tokens[k], queries[k], selected[k], margins[k]) for k in (slice(0, 2), slice(2, 5))]
    joined = join(pieces)
    for name in FIELDS:
        assert (getattr(joined, name) == getattr(whole, name)).all()
    np.testing.assert_allclose(solve(joined).W, solve(whole).W, rtol=1e-12)


def test_problems_of_different_shapes_are_not_joined():
    with pytest.raises(ValueError, match="matrices of one shape"):
        join([one(0), one(1, d=6)])
    with pytest.raises(ValueError, match="at least one problem"):
        join([])


@pytest.mark.parametrize("norm", [name for name in (*geometry.NAMES, "l1.75") if geometry.get(name).block_power])
def test_a_block_problem_is_the_problem_of_the_block_diagonal_matrix(norm):
    """Against the solver on the whole matrix, which knows nothing of blocks."""
    parts = [one(h, e=4 + h, bound=np.array([1.0, 0.0, 2.0])) for h in range(3)]
    (answer,), whole = solve_blocks([parts], norm), solve(block_diagonal(parts), norm)
    assert answer.status is Status.SOLVED
    assert answer.rejected == ""
    value = geometry.get(norm).value
    assert np.isclose(value(answer.W), value(whole.W), rtol=1e-6)
    blocks = diagonal_blocks(answer.W, [part.shape for part in parts])
    assert np.isclose(sum((block**2).sum() for block in blocks), (answer.W**2).sum())
    for part, block in zip(parts, blocks, strict=True):
        assert (part.apply(block) >= part.bound - 1e-8).all()


def test_a_norm_that_does_not_follow_from_its_blocks_is_refused():
    with pytest.raises(ValueError, match="norm: expected one whose value"):
        solve_blocks([[one(0), one(1)]], "hybrid")


def test_one_block_without_a_separator_refutes_the_whole():
    for norm in ("fro", "nuc"):
        (answer,) = solve_blocks([[one(0), separation(*conflict())]], norm)
        assert answer.status is Status.INFEASIBLE
        assert not answer.dual[: len(one(0))].any()
