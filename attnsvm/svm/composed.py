"""Problems put together from others: several sets of constraints on one matrix, and several matrices at once."""

import numpy as np

from attnsvm.svm.constraints import Constraints, Factors, TokenConstraints
from attnsvm.svm.solution import Solution, Status
from attnsvm.svm.solver import judged_solution, norm_and_tolerance, solve_batch


def join(parts: list[Constraints]) -> Constraints:
    """The constraints of several problems on one W, one problem after another.

    Args:
        parts: problems of one shape (d, e). `index` counts the inputs of all problems in one sequence.

    Raises:
        ValueError: there is no problem, or two have different shapes.
    """
    _require_parts(parts)
    if len({part.shape for part in parts}) > 1:
        raise ValueError(f"parts: expected problems on matrices of one shape, got {[part.shape for part in parts]}")
    return _concatenated(parts, [part.factors for part in parts])


def block_diagonal(parts: list[Constraints]) -> Constraints:
    """Several matrices with one common margin, as one problem: W_h is the h-th diagonal block of the unknown matrix.

    The least norm is block diagonal: for "fro" it is that of min Σ‖W_h‖², for "nuc" that of min Σ‖W_h‖_*, for
    "spectral" that of min max_h ‖W_h‖.

    Args:
        parts: the constraints of each matrix, (d_h, e_h).

    Raises:
        ValueError: there is no problem.
    """
    _require_parts(parts)
    rows, columns = (sum(part.shape[axis] for part in parts) for axis in (0, 1))
    factors, row, column = [], 0, 0
    for part in parts:
        d, e = part.shape
        tokens = np.pad(part.factors.tokens, ((0, 0), (row, rows - row - d)))
        queries = np.pad(part.factors.queries, ((0, 0), (column, columns - column - e)))
        factors.append(part.factors._replace(tokens=tokens, queries=queries))
        row, column = row + d, column + e
    return _concatenated(parts, factors)


def diagonal_blocks(W: np.ndarray, shapes: list[tuple[int, int]]) -> list[np.ndarray]:
    """The blocks W_h (d_h, e_h) of a block-diagonal W."""
    row, column, blocks = 0, 0, []
    for d, e in shapes:
        blocks.append(W[row : row + d, column : column + e])
        row, column = row + d, column + e
    return blocks


def solve_blocks(batch: list[list[Constraints]], norm: str = "fro", tol: float | None = None) -> list[Solution]:
    """The solutions of `block_diagonal` problems, each one certified answer.

    No constraint couples two blocks, so each block is solved by itself. The multipliers of the blocks, weighted by the
    norms, are those of the whole. The checker sees the whole problem.

    Args:
        batch: the constraints of each matrix, for each problem.
        norm, tol: as in `solve`.

    Raises:
        ValueError: as `solve`, or a problem without a matrix.
    """
    flat = iter(solve_batch([part for parts in batch for part in parts], norm, tol))
    return [as_one(parts, [next(flat) for _ in parts], norm, tol) for parts in batch]


def as_one(parts: list[Constraints], answers: list[Solution], norm: str = "fro", tol: float | None = None) -> Solution:
    """The solution of a `block_diagonal` problem from the answers to its parts, in the same norm, certified as one."""
    measure, tol = norm_and_tolerance(norm, tol)
    whole = block_diagonal(parts)
    W = np.zeros(whole.shape)
    for block, answer in zip(diagonal_blocks(W, [part.shape for part in parts]), answers, strict=True):
        block[:] = answer.W
    refuted = [answer.status is Status.INFEASIBLE for answer in answers]
    if any(refuted):
        first = refuted.index(True)
        weights = np.arange(len(parts)) == first
        method, infeasible = answers[first].method, True
    else:
        values = np.array([float(measure.value(answer.W)) for answer in answers])
        weights, infeasible = _weights(values, measure.block_power), False
        method = answers[int(values.argmax())].method
    dual = np.concatenate([weight * answer.dual for weight, answer in zip(weights, answers, strict=True)])
    return judged_solution(whole, measure, tol, W, dual, method, infeasible)


def _weights(values: np.ndarray, power: float | None) -> np.ndarray:
    """The dual norms of the blocks' multipliers that prove the p-norm of the blocks' norms: its gradient."""
    if power is None:
        raise ValueError("norm: expected one whose value on a block-diagonal matrix follows from its blocks")
    if power == np.inf:
        return (np.arange(len(values)) == values.argmax()).astype(float)
    total = np.linalg.norm(values, power)
    return (values / total) ** (power - 1) if total > 0 else np.ones(len(values))


def _require_parts(parts) -> None:
    if not parts:
        raise ValueError("parts: expected at least one problem, got none")


def _concatenated(parts: list[Constraints], factors: list[Factors]) -> Constraints:
    token, query, place, joined, index = 0, 0, 0, [], []
    for part, one in zip(parts, factors, strict=True):
        joined.append((one.winner + token, one.loser + token, one.query + query))
        index.append(part.index + np.array([place, 0, 0]))
        token, query = token + len(one.tokens), query + len(one.queries)
        place = index[-1][:, 0].max(initial=place - 1) + 1
    winner, loser, queries = (np.concatenate(each) for each in zip(*joined, strict=True))
    return TokenConstraints(
        Factors(
            np.concatenate([one.tokens for one in factors]),
            np.concatenate([one.queries for one in factors]),
            winner,
            loser,
            queries,
        ),
        np.concatenate([part.bound for part in parts]),
        np.concatenate([part.equality for part in parts]),
        np.concatenate(index),
    )
