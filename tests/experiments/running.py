"""An experiment run through its stages and files at any size, and brute force to compare its numbers with."""

from pathlib import Path

import numpy as np
import pandas as pd
from scipy.optimize import linprog

from attnsvm.files.store import load_cells
from attnsvm.pipeline import cards, stages
from attnsvm.pipeline.configuration import resolve, stage_settings

NORM = {"W": "fro", "KQ": "nuc"}  # the norm that belongs to a parametrisation
OUTPUTS = ("table", "instances", "outcomes", "certificates", "cells")


class Run:
    """All stages of an experiment through their files; the arrays of every cell and the tables that came out.

    Args:
        settings: by stage, what differs from the card.
    """

    def __init__(self, name: str, settings: dict, folder: Path, blocks: int = 2):
        card, config = cards.read(name), resolve({"experiments": {name: settings}})
        files = []
        for k in range(1, blocks + 1):
            paths: dict[str, str] = {}
            for stage in card.stages[:-1]:
                path, own = str(folder / f"{k}" / f"{stage}.npz"), stage_settings(card, config, stage)
                if stage == "problems":
                    stages.problems(name, own, f"{k}-of-{blocks}", path)
                else:
                    getattr(stages, stage)(name, own, dict(paths), path)
                paths[stage] = path
            files.append(paths)
        outputs = {key: str(folder / key) for key in OUTPUTS}
        stages.measures(name, stage_settings(card, config, "measures"), files, outputs)
        self.table, self.instances = (pd.read_parquet(outputs[key]) for key in ("table", "instances"))
        self.outcomes, self.certificates, self.grid = (pd.read_csv(outputs[key]) for key in OUTPUTS[2:])
        self.cells = []
        for paths in files:
            drawn, trained, solved = (
                load_cells(paths[stage]) if stage in paths else {} for stage in ("problems", "descent", "svm")
            )
            self.cells += [
                (label, cell["problems"], trained.get(label, {}), solved.get(label, {}))
                for label, cell in drawn.items()
            ]

    def each(self):
        """(cell label, place s in the batch, problems, trained, solved) of every instance."""
        for label, problems, trained, solved in self.cells:
            yield from ((label, s, problems, trained, solved) for s in range(len(problems["seeds"])))


def check_the_split_into_blocks(split: Run, whole: Run) -> None:
    """The tables of two runs that differ in their number of blocks are the same, and every answer is certified."""
    pd.testing.assert_frame_equal(split.table, whole.table, rtol=1e-9)
    pd.testing.assert_frame_equal(split.outcomes, whole.outcomes)
    pd.testing.assert_frame_equal(split.grid, whole.grid)
    assert (split.certificates.uncertified == 0).all()


def check_nobody_is_missing(run: Run, times: int) -> None:
    """Every instance of the grid has `times` outcomes."""
    assert run.outcomes.instances.sum() == times * run.grid.instances.sum()


def softmax_of(X, W, z):
    logits = X @ W @ z
    p = np.exp(logits - logits.max())
    return p / p.sum()


def cosine(A, B):
    return np.trace(A.T @ B) / np.sqrt(np.trace(A.T @ A) * np.trace(B.T @ B))


def best_tokens(X, Y, v, pick=np.argmax):
    return np.array([pick([y * x @ v for x in tokens]) for tokens, y in zip(X, Y, strict=True)])


def separable(X, Z, alpha):
    """By linear programming: is there a W with margins one?"""
    rows = [
        np.outer(tokens[a] - tokens[t], z).ravel()
        for tokens, z, a in zip(X, Z, alpha, strict=True)
        for t in range(len(tokens))
        if t != a
    ]
    answer = linprog(np.zeros(rows[0].size), A_ub=-np.array(rows), b_ub=-np.ones(len(rows)), bounds=(None, None))
    assert answer.status in (0, 2)
    return answer.status == 0
