"""How far every run is from the solution of its tokens, how saturated, which tokens it shares with plain attention."""

import numpy as np

from attnsvm.analysis.directions import correlation
from attnsvm.analysis.measured import curves, gathered, outcomes
from attnsvm.analysis.medians import medians
from attnsvm.analysis.selection import optimal_tokens
from attnsvm.analysis.statistics import mean_share

PLAIN = "attention"
WAYS = ("distance", "to_plain", "to_mean", "saturation")
ENDS = ("same", "best", "all_same")  # shares; the mean over the instances is read
TIMES = ("steps_near", "steps_saturated", "ratio_near", "ratio_saturated")  # the median is read: some never get there


@gathered
def measures(cell, problems, trained, solved, settings):
    steps, runs = trained["steps"], trained["runs"]
    answer, plain = solved["fro"], runs[PLAIN]
    good = np.all([answer["status"][place] == "solved" for place in solved["place"].values()], axis=0)
    best = optimal_tokens(problems.tokens, problems.head, problems.labels)
    times = {}
    for name, run in runs.items():
        own, first = (answer["W"][solved["place"][key]] for key in (name, PLAIN))
        differs = (run["selected"] != plain["selected"]).any(1)
        values = {
            "distance": 1 - correlation(run["weights"], own[:, None]),
            # Instances where both select the same tokens would have the same number once more.
            "to_plain": np.where(differs[:, None], 1 - correlation(run["weights"], first[:, None]), np.nan),
            "to_mean": 1 - correlation(run["weights"], mean_difference(problems, run["selected"])[:, None]),
            "saturation": run["largest"],
        }
        times[name] = {
            "steps_near": reached(steps, values["distance"] <= settings["near"]),
            "steps_saturated": reached(steps, values["saturation"] >= settings["saturated"]),
        }
        at_end = {
            "same": (run["selected"] == plain["selected"]).mean(1),
            "best": (run["selected"] == best).mean(1),
            "all_same": 1.0 - differs,
        }
        at_end |= times[name] | {
            f"ratio_{what}": _ratio(times, name, f"steps_{what}") for what in ("near", "saturated")
        }
        whole = {
            key: np.where(np.arange(len(steps)) == len(steps) - 1, x[:, None], np.nan) for key, x in at_end.items()
        }
        values = {key: value[good] for key, value in (values | whole).items()}
        yield curves(problems.seeds[good], steps, values, selector=name)
        yield outcomes(cell, problems.seeds, np.where(good, "measured", "without SVM"))


def mean_difference(problems, selected) -> np.ndarray:
    """Σ_i Σ_t (x_iα − x_it) z_iᵀ, (S, d, d), for selected α (S, n): every token counts, not only the nearest ones."""
    chosen = np.take_along_axis(problems.tokens, selected[..., None, None], 2)
    return np.einsum("sntd,sne->sde", chosen - problems.tokens, problems.queries)


def reached(steps: np.ndarray, met: np.ndarray) -> np.ndarray:
    """The first logged step from which on `met` (S, L) stays true, (S,); infinite where it does not at the end."""
    lasting = np.logical_and.accumulate(met[:, ::-1], axis=1)[:, ::-1]
    return np.where(lasting[:, -1], steps[lasting.argmax(1)], np.inf)


def _ratio(times, name, what) -> np.ndarray:
    """Steps of the run divided by those of plain attention; NaN where neither gets there."""
    own, plain = times[name][what], times[PLAIN][what]
    with np.errstate(invalid="ignore"):
        return own / plain


def table(measures, settings):
    frame = measures.instances
    rows = frame.melt(["selector", "seed", "step"], [*WAYS, *ENDS, *TIMES], "quantity").dropna(subset="value")
    return medians(rows, ["selector", "quantity", "step"], ENDS.__contains__, mean_share)
