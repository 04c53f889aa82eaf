"""Answers of a build for another judge: with their constraints, or as an answer file and a problem file."""

from pathlib import Path

import numpy as np

from attnsvm.pipeline.running import replay
from attnsvm.svm import certificate
from attnsvm.svm.constraints import Constraints
from attnsvm.svm.solution import Solution


def every(step: int, folder: str) -> list[tuple[Constraints, str, float, Solution]]:
    """Every `step`-th answer under a folder, with its constraints, norm and tolerance: for another judge.

    Raises:
        UserError, ValueError: as `replay.again`.
    """
    count, taken = 0, []

    def watch(*one):
        nonlocal count
        if count % step == 0:
            taken.append(one)
        count += 1

    for path in replay.files(folder):
        replay.again(path, watch)
    return taken


def written(folder: Path, name: str, c: Constraints, norm: str, tol: float, answer: Solution) -> bool:
    """Write an answer and its problem as `name`.npz and `name`_problem.npz, which any judge of answer files reads.

    Returns:
        Whether there is such a problem file: each input with one winner, margins of 1, or of 0 where logits are equal.
    """
    made, inputs = c.factors, []
    right = (c.bound == np.where(c.equality, 0.0, 1.0)).all() and answer.status in ("solved", "infeasible", "remote")
    for rows in np.split(np.arange(len(c)), np.flatnonzero(np.diff(c.index[:, 0])) + 1):
        right = right and len(rows) > 0 and np.ptp(made.winner[rows]) == 0 == np.ptp(made.query[rows])
        if not right:
            return False
        tokens = made.tokens[np.append(made.winner[rows[0]], made.loser[rows])]
        inputs.append((tokens, made.queries[made.query[rows[0]]], np.append(True, c.equality[rows])))
    lengths = np.array([len(tokens) for tokens, _, _ in inputs])
    whole = np.zeros((len(inputs), lengths.max(), c.shape[0])), np.zeros((len(inputs), lengths.max()), dtype=bool)
    for i, (tokens, _, chosen) in enumerate(inputs):
        whole[0][i, : lengths[i]], whole[1][i, : lengths[i]] = tokens, chosen
    queries, problem = np.stack([query for _, query, _ in inputs]), folder / f"{name}_problem.npz"
    np.savez(problem, tokens=whole[0], queries=queries, selected=whole[1], lengths=lengths)
    certificate.save(folder / f"{name}.npz", answer, norm, tol, problem, certificate.read(problem))
    return True
