"""Every head of a layer with its certified solution, and its null models with theirs, as `attnsvm inspect` has them."""

import pickle

import numpy as np

from attnsvm.inspect.measures import Bench, Plan, measure


def svm(problems, trained, settings):
    (packed,) = problems.labels
    layer = pickle.loads(packed.tobytes())
    few = 2  # no nuclear norm is asked for
    plan = Plan(("fro",), settings["inputs"], few, settings["held_out"], settings["draws"], settings["seed"])
    bench, answers = Bench(layer, plan), []
    # Both problems before they are watched: the second is made from the first.
    problems_of_it = {"plain": bench.plain, "whole": bench.whole}
    vars(bench).update({name: one and Watched(one, answers) for name, one in problems_of_it.items()})
    rows = [measure(bench, head)[0] for head in layer.heads]
    columns = {name for row in rows for name, value in row.items() if isinstance(value, int | float | np.number)}
    numbers = {name: np.array([[float(row.get(name, np.nan)) for row in rows]]) for name in sorted(columns)}
    proof = {
        "status": np.array([[str(one.status) for one in answers]]),
        "gap": np.array([[one.gap for one in answers]]),
        "residual": np.array([[getattr(one, "residual", np.nan) for one in answers]]),
    }
    return {"heads": numbers, "answers": proof}


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
