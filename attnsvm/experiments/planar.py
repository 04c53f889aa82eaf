"""What the two planar experiments share: one instance with n = 2 inputs in d = 2 dimensions, trained both ways from
zero, drawn as the curves W(k) z_i with the max-margin directions of the optimal tokens."""

from abc import abstractmethod

import numpy as np
import pandas as pd

from attnsvm.experiments.base import Arrays, Cell, Experiment, Measures, certified, how_to_train, outcomes, require

NORM = {"W": "fro", "KQ": "nuc"}  # the norm that belongs to a parametrisation
DIRECTION_LENGTH = 100  # multiple of the solution at which its direction is drawn, as published


class Planar(Experiment):
    trainings = len(NORM)

    @staticmethod
    @abstractmethod
    def draw_one(generator, n, T, d):
        """The generator of the experiment's data."""

    def cells(self):
        return [Cell(n=2, T=self.config["problems"]["T"], d=2, seeds=(self.config["problems"]["seed"],))]

    def problems(self, cell):
        return cell.draw(self.draw_one)

    def descent(self, problems, progress):
        from attnsvm.training.descent import train
        from attnsvm.training.heads import LinearHead

        settings = self.config["descent"]
        how = how_to_train(settings) | {"every": 1, "start": "zero", "progress": progress}
        arrays = {}
        for parametrisation in NORM:
            log = train(problems, LinearHead, parametrisation, **how)
            arrays["steps"] = log.steps
            arrays[f"{parametrisation}_weights"] = log.weights
        return arrays

    def svm(self, problems, descent):
        from attnsvm.selection import optimal_tokens

        optimal = optimal_tokens(problems.tokens, problems.head, problems.labels)
        arrays = {"optimal": optimal}
        for norm in NORM.values():
            arrays |= {f"{norm}_{name}": column for name, column in certified(problems, optimal, norm).items()}
        return arrays

    def measures(self, cell: Cell, problems, descent: Arrays, svm: Arrays) -> Measures:
        rows = []
        for s, seed in enumerate(problems.seeds):
            for norm in NORM.values():
                status = svm[f"{norm}_status"][s]
                require(status == "solved", f"seed {seed} has no certified {norm} solution ({status}): choose another")
            rows += [_tokens(problems.tokens[s], svm["optimal"][s])]
            for parametrisation, norm in NORM.items():
                directions = problems.queries[s] @ svm[f"{norm}_W"][s].T
                rows += [
                    _trajectory(parametrisation, descent, s, problems.queries[s]),
                    _points("svm_direction", parametrisation, DIRECTION_LENGTH * directions),
                ]
                rows += self.extra(parametrisation, problems.tokens[s], svm["optimal"][s], directions)
        columns = ["kind", "parametrisation", "input", "token", "step", "x", "y"]
        table = pd.concat(rows) if rows else pd.DataFrame(columns=columns)
        return Measures(table.reindex(columns=columns), outcomes(cell, problems.seeds, "drawn"))

    def extra(self, parametrisation: str, tokens, optimal, directions) -> list[pd.DataFrame]:
        """Rows that only one of the two figures draws."""
        return []

    def table(self, measures):
        return measures.instances


def _points(kind, parametrisation, xy, **columns):
    inputs = np.arange(1, len(xy) + 1)
    return pd.DataFrame(
        {"kind": kind, "parametrisation": parametrisation, "input": inputs, "x": xy[:, 0], "y": xy[:, 1], **columns}
    )


def _tokens(tokens, optimal):
    n, T, _ = tokens.shape
    best = np.arange(T) == optimal[:, None]
    return pd.DataFrame(
        {
            "kind": np.where(best, "optimal_token", "token").ravel(),
            "input": np.repeat(np.arange(1, n + 1), T),
            "token": np.tile(np.arange(1, T + 1), n),
            "x": tokens[..., 0].ravel(),
            "y": tokens[..., 1].ravel(),
        }
    )


def _trajectory(parametrisation, descent, s, queries):
    curves = descent[f"{parametrisation}_weights"][s] @ queries.T  # (L, 2, n)
    frames = [
        pd.DataFrame({"input": i + 1, "step": descent["steps"], "x": curves[:, 0, i], "y": curves[:, 1, i]})
        for i in range(len(queries))
    ]
    return pd.concat(frames).assign(kind="trajectory", parametrisation=parametrisation)
