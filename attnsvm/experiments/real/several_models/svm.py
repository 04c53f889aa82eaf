"""Every head with its certified solution, and its null models with theirs, as `attnsvm inspect` has them.

`answers` holds those of all layers, one after another: how many a head asks for depends on what can be solved.
"""

import numpy as np

from attnsvm.analysis.trees import stacked
from attnsvm.inspect.layers import unpickled
from attnsvm.inspect.measures import Bench, Plan, measure
from attnsvm.svm.solution import proof_of

FEW = 2  # no nuclear norm is asked for


def svm(problems, trained, settings):
    plan = Plan(("fro",), settings["inputs"], FEW, settings["held_out"], settings["draws"], settings["seed"])
    every, answers = [], []
    for packed in problems.labels:
        bench = Bench(unpickled(packed.tobytes()), plan)
        # Both problems before they are watched: the second is made from the first.
        known = {"plain": bench.plain, "whole": bench.whole}
        vars(bench).update({name: one and Watched(one, answers) for name, one in known.items()})
        every.append([measure(bench, head)[0] for head in bench.layer.heads])
    names = sorted({name for rows in every for row in rows for name in row if _is_number(row[name])})
    numbers = {name: np.array([[float(row.get(name, np.nan)) for row in rows] for rows in every]) for name in names}
    return {"heads": numbers, "answers": stacked([proof_of(one) for one in answers])}


def _is_number(value) -> bool:
    return isinstance(value, int | float | np.number)


class Watched:
    """A problem of which every answer is kept."""

    def __init__(self, problem, answers: list):
        self._problem, self._answers = problem, answers

    def __getattr__(self, name: str):
        return getattr(self._problem, name)

    def seen_by(self, W) -> "Watched":
        return Watched(self._problem.seen_by(W), self._answers)

    def certified(self, *given):
        self._answers.append(self._problem.certified(*given))
        return self._answers[-1]
