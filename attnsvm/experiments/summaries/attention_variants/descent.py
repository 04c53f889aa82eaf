"""Attention and its variants: with dropout, on merged tokens, and without a softmax."""

import numpy as np

from attnsvm.experiments.summaries.attention_variants.merged import PLAIN, SHORTER, shortened
from attnsvm.experiments.summaries.attention_variants.predictions import LINEAR, MIXER, UNIFORM, classify, features
from attnsvm.experiments.summaries.router.descent import Router, descend
from attnsvm.training.descent import train
from attnsvm.training.heads.linear import LinearHead
from attnsvm.training.log import logarithmic_steps
from attnsvm.training.optimisers.gradient_descent import exact
from attnsvm.training.start import full_weights


def descent(problems, settings, progress):
    drops = settings["dropout"]
    progress.expect((1 + len(SHORTER) + len(drops) + 2) * len(problems))
    kept, rate = logarithmic_steps(settings["steps"], settings["points"]), settings["learning_rate"]
    runs = {}
    for name in (PLAIN, *SHORTER):
        given = shortened(problems, name)
        log = train(given, LinearHead, "W", exact(rate), settings["steps"], kept, progress=progress)
        runs[name] = {"weights": log.weights, "largest": log.largest, "selected": log.probabilities.argmax(2)}
    S, _, T, d = problems.tokens.shape
    (start,) = full_weights(problems.seeds, d, "uniform")
    for drop in drops:
        runs[f"dropout {drop:g}"] = descend(problems, Router(dropout=drop), start, rate, kept)
        progress(len(problems))
    even = np.full((S, T, 1), 1.0 / T)
    linear = {UNIFORM: np.repeat(even[:, None], len(kept), 1)}
    for name, first in ((LINEAR, start), (MIXER, even)):
        linear[name] = classify(*features(problems, name), problems.labels, first, rate, kept)
        progress(len(problems))
    return {"steps": kept, "runs": runs, "linear": linear}
