"""The margin ratio of every run in every norm, along training; and of a control that nothing was trained for.

The control: a matrix of each norm's shape that was not trained. It is the steepest direction, in that norm, of the sum
of all constraint matrices of the selected tokens. If the shape alone made the diagonal largest, it would do so here.
"""

import numpy as np
import pandas as pd

from attnsvm import geometry
from attnsvm.analysis.margins import margin_ratio
from attnsvm.analysis.measured import all_solved, curves, gathered, outcomes
from attnsvm.analysis.statistics import middle_half, share
from attnsvm.system.errors import require

TRAINED, CONTROL = "trained", "untrained"


@gathered
def measures(cell, problems, trained, solved, settings):
    solutions = solved["solutions"]
    certified = all_solved(solutions.values())
    good = np.all([certified[place] for place in solved["place"].values()], axis=0)
    kept = problems[good]
    for rule, run in trained.items():
        place = solved["place"][rule][good]
        selected = solved["selected"][place]
        untrained = _untrained(kept, selected, rule)
        for norm, answer in solutions.items():
            given = kept.tokens, kept.queries
            known = selected, norm, answer["W"][place]
            ratio = margin_ratio(*given, run["weights"][good], *known)
            columns = {"kind": TRAINED, "rule": rule, "norm": norm}
            yield curves(kept.seeds, run["steps"], {"ratio": ratio}, **columns)
            ratio = margin_ratio(*given, untrained, *known)
            columns = {"kind": CONTROL, "rule": rule, "norm": norm}
            yield curves(kept.seeds, run["steps"][-1:], {"ratio": ratio}, **columns)
    yield outcomes(cell, problems.seeds, np.where(good, "measured", "without a certified solution in some norm"))


def _untrained(problems, selected, norm):
    """The steepest direction, (S, d, d), of the sum of the constraint matrices (x_iα − x_it) z_iᵀ."""
    chosen = np.take_along_axis(problems.tokens, selected[..., None, None], 2)
    total = (chosen - problems.tokens).sum(2).swapaxes(1, 2) @ problems.queries
    return np.array([geometry.get(norm).steepest(matrix) for matrix in total]).reshape(total.shape)


def table(measures, settings):
    require(
        not measures.instances.empty,
        "geometries: no instance has a certified solution in every norm: choose a larger d",
    )
    rows = []
    for (kind, step), frame in measures.instances.groupby(["kind", "step"], sort=False):
        order = list(frame["rule"].unique())
        cube = frame.set_index(["seed", "rule", "norm"])["ratio"].unstack(["rule", "norm"])
        ratios = np.stack([cube[rule][order].to_numpy() for rule in order], axis=1)  # (S, rules, norms)
        at = {"kind": kind, "step": step}
        for r, c in np.ndindex(len(order), len(order)):
            names = {"rule": order[r], "norm": order[c]}
            rows.append({"quantity": "ratio", **at, **names, **middle_half(ratios[:, r, c])})
        across, down = (np.stack([largest(x[:, k], k) for k in range(len(order))], 1) for x in (ratios, ratios.mT))
        for quantity, hits in (("row", across), ("column", down)):
            rows += [
                {"quantity": quantity, **at, "rule": name, "norm": name, **share(hits[:, k])}
                for k, name in enumerate(order)
            ]
        every = share((across & down).all(1))
        rows.append({"quantity": "all", **at, "rule": "every", "norm": "every", **every})
    return pd.DataFrame(rows)


def largest(values: np.ndarray, place: int) -> np.ndarray:
    """Whether the value at `place` exceeds all others, (S,), for values (S, norms)."""
    return values[:, place] > np.delete(values, place, axis=1).max(1)
