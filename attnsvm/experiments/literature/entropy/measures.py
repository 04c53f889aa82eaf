"""How many tokens the softmax keeps, how far descent amplifies what is uneven at the start, how fast one token wins."""

import numpy as np
import pandas as pd

from attnsvm.analysis.measured import Measures, by_quantity, outcomes
from attnsvm.analysis.medians import medians
from attnsvm.analysis.probabilities import softmax
from attnsvm.analysis.slopes import slope

KEYS = ["model", "start", "quantity", "at"]
SHARES = ("fell", "sum", "value")  # quantities that an instance has or has not
TWO_DECADES = 99.0  # of times that are powers of ten up to rounding


def measures(cell, problems, trained, solved, settings):
    seeds, starts, sizes = problems.seeds, trained["starts"], trained["sizes"]
    a, u, most = trained["start"]["a"], trained["start"]["u"], starts.max()
    frames = []

    def add(at, found, **columns):
        frames.append(by_quantity(seeds, np.asarray(at), found, **columns))

    before = tokens(softmax(most * a))
    for loss, p in trained["published"].items():
        found = {"tokens": tokens(p), "fell": tokens(p) < before}
        add([1.0], found, model=f"published, {loss}", start=most)
    for k, scale in enumerate(starts):
        logits = centred(trained["square"][:, k])
        law = scale * amplified(a, u, sizes)
        error = np.linalg.norm(logits - law, axis=-1) / np.linalg.norm(law, axis=-1)
        kept = tokens(softmax(logits))
        found = {"tokens": kept, "even": kept / a.shape[-1], "spread": spread(logits), "law": spread(law)}
        add(sizes, found | {"error": error}, model="square", start=scale)
    kept = tokens(trained["layer"]).mean(-1)
    add(sizes, {"tokens": kept, "even": kept / cell.T}, model="layer", start=most)
    for name, logits in trained["margin"].items():
        left = others(logits)
        found = {"others": left, "exponent": slope(np.log(left), trained["times"], TWO_DECADES)}
        add(trained["times"], found | {"constant": left * trained["times"] ** 2}, model=f"margin, V {name}", start=most)
        won = logits[:, -1].argmax(-1)
        ahead = {"sum": won == (a + u).argmax(-1), "value": won == u.argmax(-1)}
        add(trained["times"][-1:], ahead, model=f"margin, V {name}", start=most)
    frame = pd.concat(frames).rename(columns={"step": "at"})
    return Measures(frame[[*KEYS, "seed", "value"]].dropna(), outcomes(cell, seeds, "measured"))


def tokens(p: np.ndarray) -> np.ndarray:
    """exp of the entropy of probabilities over the last axis: how many tokens share the softmax."""
    return np.exp(-(p * np.log(np.where(p > 0.0, p, 1.0))).sum(-1))


def centred(logits: np.ndarray) -> np.ndarray:
    return logits - logits.mean(-1, keepdims=True)


def spread(logits: np.ndarray) -> np.ndarray:
    """The standard deviation of logits over the last axis."""
    return np.sqrt((centred(logits) ** 2).mean(-1))


def amplified(a: np.ndarray, u: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """a cosh B + u sinh B, centred, (S, B, C): where a and u, uneven by little, are once Vσ has come to the size B.

    Of δa and δu, relative to their means, dδa/dτ = δu/C and dδu/dτ = δa/C to first order, and the output grows by τ/C.
    """
    grown = sizes[:, None]
    return centred(a)[:, None] * np.cosh(grown) + centred(u)[:, None] * np.sinh(grown)


def others(logits: np.ndarray) -> np.ndarray:
    """What the softmax leaves to all tokens but the largest, to full precision."""
    shares = np.sort(np.exp(logits - logits.max(-1, keepdims=True)), axis=-1)[..., :-1].sum(-1)
    return shares / (1.0 + shares)


def table(measures, settings):
    return medians(measures.instances, KEYS, SHARES.__contains__)
