"""The distance of every run to the solution in every norm, for the tokens of the run and for those of another run.

published  the run of p, and the solution in the norm of q for the tokens that the *run of q* selects
own        the same runs, and the solution for the tokens that the run of p selects itself
exact      as own, with steps that do not end where the gradient's norm falls below 2.2e-16
shared     as published, but all p start from one W(0)
"""

import numpy as np
import pandas as pd

from attnsvm.analysis.measured import all_solved, curves, gathered, outcomes
from attnsvm.analysis.medians import quartiles, with_means
from attnsvm.analysis.rows import last
from attnsvm.analysis.statistics import share
from attnsvm.system.errors import require

COMPARISONS = {"published": "apart", "own": "apart", "exact": "exact", "shared": "shared"}  # and whose runs


def bregman(best: np.ndarray, W: np.ndarray, q: float) -> np.ndarray:
    """The Bregman divergence D(best, W) of ‖·‖_q^q/q, the two scaled to ‖·‖_q = 1, over the last two axes.

    No unit; zero where the two have one direction. Both potentials are 1/q, and so D = 1 − ⟨sign(W)|W|^{q−1}, best⟩.
    """
    A, B = (x / (np.abs(x) ** q).sum((-2, -1), keepdims=True) ** (1 / q) for x in (best, W))
    return 1.0 - (np.sign(B) * np.abs(B) ** (q - 1) * A).sum((-2, -1))


@gathered
def measures(cell, problems, trained, solved, settings):
    place, solutions = solved["place"], solved["solutions"]
    certified = all_solved(solutions.values())
    good = np.all([certified[own] for runs in place.values() for own in runs.values()], axis=0)
    for comparison, kind in COMPARISONS.items():
        places = np.stack([own[good] for own in place[kind].values()])
        same = (places == places[0]).all(0)
        for p, run in trained[kind].items():
            for q, answer in solutions.items():
                at = place[kind][p if comparison in ("own", "exact") else q][good]
                distance = bregman(answer["W"][at][:, None], run["weights"][good], float(q))
                columns = {"comparison": comparison, "p": float(p), "q": float(q)}
                yield curves(problems.seeds[good], run["steps"], {"distance": distance, "same": same}, **columns)
    yield outcomes(cell, problems.seeds, np.where(good, "measured", "without a certified solution in some norm"))


def table(measures, settings):
    require(
        not measures.instances.empty,
        "mirror_descent: no instance has a certified solution in every norm: choose a larger d",
    )
    values = measures.instances.rename(columns={"distance": "value"})
    distances = with_means(quartiles, values, ["comparison", "p", "q", "step"])
    shares = []
    for comparison, runs in measures.instances.groupby("comparison", sort=False):
        ends = last(runs, "p")
        same = ends.groupby("seed")["same"].first()
        shares.append({"quantity": "same_tokens", "comparison": comparison, **share(same)})
        for q, own in ends.groupby("q", sort=False):
            by_p = own.pivot(index="seed", columns="p", values="distance")
            nearest = by_p[q] < by_p.drop(columns=q).min(axis=1)
            names = {"quantity": "nearest", "comparison": comparison, "p": q, "q": q}
            shares.append(names | share(nearest))
    columns = ["quantity", "comparison", "p", "q", "step", "value", "low", "high", "instances", "interval"]
    return pd.concat([distances.assign(quantity="distance"), pd.DataFrame(shares)])[columns].reset_index(drop=True)
