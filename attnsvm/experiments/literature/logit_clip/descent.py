"""Train W with a clip on its largest logit, with decoupled decay, and without both."""

import numpy as np

from attnsvm import geometry
from attnsvm.analysis.margins import largest_logit
from attnsvm.experiments.literature.decay.descent import gradient, steepest
from attnsvm.training.descent import train
from attnsvm.training.heads.linear import LinearHead
from attnsvm.training.rules import steepest as rules
from attnsvm.training.rules.adam import adam
from attnsvm.training.start import full_weights

RATES = {"fro": 1.0, "linf": 0.1, "spectral": 0.4}
BETAS, SHRUNK = (0.9, 0.95), 0.005  # of AdamW; the last step's length over the full one


def descent(problems, settings, progress):
    (start,), found = full_weights(problems.seeds, problems.tokens.shape[-1], "uniform"), {}
    progress.expect(len(RATES) * len(problems))
    for norm, rate in RATES.items():
        runs = {"clip": [], "decay": []}
        for clip in settings["clips"]:
            full = int(settings["steps_per_clip"] * clip)
            lengths = np.append(np.full(full, rate), np.geomspace(rate, SHRUNK * rate, full // 2))
            runs["clip"].append(W := descended(problems, norm, start, lengths, clip))
            decay = 1.0 / geometry.get(norm).value(W)[:, None, None]
            runs["decay"].append(descended(problems, norm, start, lengths, decay=decay))
        free = train(problems, LinearHead, "W", rules.steepest(norm, rate), full, [full], start).weights
        found[norm] = {kind: np.stack(ends, 1) for kind, ends in runs.items()} | {"free": free}
        progress(len(problems))
    rate, ends = settings["adamw_rate"], []
    for decay in settings["adamw_decays"]:
        steps, rule = int(np.ceil(settings["adamw_folds"] / (rate * decay))), adam(rate, *BETAS, decay)
        ends.append(train(problems, LinearHead, "W", rule, steps, [steps], start).weights[:, 0])
    levels = {"clips": np.array(settings["clips"], dtype=float), "balls": 1.0 / np.array(settings["adamw_decays"])}
    return levels | {"runs": found | {"AdamW": {"decay": np.stack(ends, 1)}}}


def descended(problems, norm, W, lengths, clip=np.inf, decay=0.0) -> np.ndarray:
    """W (S, d, d) after steps of these lengths, each followed by the clip."""
    for length in lengths:
        W = (1.0 - length * decay) * W - length * steepest(norm, gradient(problems, W)[0])
        if clip < np.inf:
            W = W * np.minimum(1.0, clip / largest_logit(problems, W))[:, None, None]
    return W
