"""The exact test error of each (v, p), and the signal from which the max-margin solution uses it."""

import numpy as np
import pandas as pd
from scipy.special import ndtr

from attnsvm.analysis.measured import Measures, by_quantity, outcomes
from attnsvm.analysis.medians import largest, medians
from attnsvm.experiments.literature.benign.layer import OPTIONS, SERVED, SIGNS, parts

KEYS = ["n", "flips", "run", "quantity", "at"]
MAX_MARGIN, SIGNAL = "max margin", "signal tokens"
SHARES = ("fitted",)  # what an instance has or has not
NODES = np.linspace(-9.0, 9.0, 1201)  # of a standard normal number
WEIGHTS = np.exp(-0.5 * NODES**2) / np.exp(-0.5 * NODES**2).sum()


def measures(cell, problems, trained, solved, settings):
    multiples, frames = trained["multiples"], []
    true, flipped, noise, length = parts(problems.tokens, problems.labels)
    lengths = length[:, None] * multiples
    good = proved(solved)
    seeds, flips = problems.seeds[good], float(cell.variant.removeprefix("flips"))

    def add(at, found, run):
        known = {quantity: value[good] for quantity, value in found.items()}
        frames.append(by_quantity(seeds, at, known, n=cell.n, flips=flips, run=run))

    signal = np.full(len(OPTIONS), OPTIONS.index(("clean", "clean")))
    for j, run in enumerate((MAX_MARGIN, SIGNAL)):
        option = solved["option"] if j == 0 else np.broadcast_to(signal[0], solved["option"].shape)
        v, p = value(solved, option, lengths), solved["attention"]["W"][solved["at"][:, j], :, 0]
        add(multiples, {"error": error(v, p, lengths, np.inf)}, run)
    for k, step in enumerate(trained["steps"]):
        v, p = trained["v"][:, :, k], trained["p"][:, :, k]
        fits = (outputs(v, p, noise, true, lengths) * problems.labels[:, None] > 0.0).all(-1)
        add(multiples, {"error": error(v, p, lengths), "fitted": fits}, f"{step} steps")
    found = threshold(sizes(solved))
    for name, counted in (("threshold", ~flipped), ("all counted", np.ones_like(flipped))):
        fewest = np.stack([(counted & (true == c)).sum(1) for c in (0, 1)]).min(0)
        with np.errstate(divide="ignore"):
            add(np.zeros(1), {name: (found * np.sqrt(fewest / cell.d))[:, None]}, MAX_MARGIN)
    frame = pd.concat(frames).rename(columns={"step": "at"})
    return Measures(
        frame[[*KEYS, "seed", "value"]].dropna(),
        outcomes(cell, problems.seeds, np.where(good, "measured", "without SVM")),
    )


def proved(solved) -> np.ndarray:
    """Whether every answer of an instance is certified, (S,)."""
    place = solved["place"]
    noise = (solved["noise"]["status"] == "solved")[place] | (place < 0)
    return noise.all(1) & (solved["attention"]["status"] == "solved")[solved["at"]].all((1, 2))


def sizes(solved) -> np.ndarray:
    """‖w‖² of the noise problem of every option, (S, 9)."""
    place = solved["place"]
    return np.where(place < 0, 0.0, (solved["noise"]["W"][..., 0] ** 2).sum(1)[place])


def value(solved, option, lengths) -> np.ndarray:
    """The v (S, M, n + 2) of an option per instance and length, (S, M)."""
    place = np.take_along_axis(solved["place"], option, 1)
    noise = np.where(place[..., None] < 0, 0.0, solved["noise"]["W"][place, :, 0])
    sign = np.array([[{SERVED[0]: 1.0, SERVED[1]: -1.0}.get(name, 0.0) for name in each] for each in OPTIONS])
    return np.concatenate([(sign * SIGNS)[option] / lengths[..., None], noise], axis=-1)


def outputs(v, p, noise, true, lengths) -> np.ndarray:
    """What the layer says of the training inputs, (S, M, n)."""
    at_signal, to_signal = (lengths[..., None] * np.take_along_axis(w, true[:, None], -1) for w in (v, p))
    at_noise, to_noise = (w[..., 2:] @ noise.swapaxes(1, 2) for w in (v, p))
    share = 0.5 + 0.5 * np.tanh(0.5 * (to_signal - to_noise))
    return share * at_signal + (1.0 - share) * at_noise


def error(v, p, lengths, sharp: float = 1.0) -> np.ndarray:
    """The probability (S, M) that a new input is classified wrongly; for hard attention `sharp` is infinite.

    For new noise, g = ⟨p, ξ⟩ and h = ⟨v, ξ⟩ are normal together. Of the class y the output has the sign of
    exp(sharp·(⟨p, μ⟩ − g))⟨v, μ⟩ + h. Given g, the probability that it is wrong is a normal one; g is summed over.
    """
    spread = np.linalg.norm(p[..., 2:], axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        slope = np.nan_to_num((p[..., 2:] * v[..., 2:]).sum(-1) / spread)
    left = np.sqrt(np.maximum((v[..., 2:] ** 2).sum(-1) - slope**2, 0.0))
    g, total = spread[..., None] * NODES, np.zeros(spread.shape)
    for c, y in enumerate(SIGNS):
        lead = (lengths * p[..., c])[..., None] - g
        weight = np.exp(np.minimum(lead, 700.0)) if np.isfinite(sharp) else np.where(lead > 0.0, np.inf, 0.0)
        size = y * (lengths * v[..., c])[..., None]
        with np.errstate(invalid="ignore"):
            pushed = np.where(size == 0.0, 0.0, weight * size)
        mean = pushed + y * slope[..., None] * NODES
        with np.errstate(invalid="ignore", divide="ignore"):
            wrong = np.where(mean == 0.0, 0.5, ndtr(-mean / left[..., None]))
        total += wrong @ WEIGHTS / len(SIGNS)
    return total


def threshold(size: np.ndarray) -> np.ndarray:
    """The length of the signal (S,) from which the max-margin v uses the signals of both classes; NaN: never.

    From ‖w‖² of the options (S, 9): with 1/ρ² for every class that is served, the least is a concave function of 1/ρ².
    """
    count = np.array([sum(name != SERVED[2] for name in option) for option in OPTIONS])
    none, one, two = (size[:, count == k].min(1) for k in range(3))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.minimum(one - two, (none - two) / 2.0) ** -0.5


def table(measures, settings):
    smallest = {"smallest": lambda of: of["value"].min()}
    return medians(measures.instances, KEYS, SHARES.__contains__, **smallest, largest=largest)
