"""Train W by each rule with weight decay, level by level, each level from the end of the one before."""

import numpy as np

from attnsvm.experiments.literature.decay.layer import gradient
from attnsvm.experiments.literature.decay.rules import ADAMW, RUNS, Run, steepest
from attnsvm.training.descent import train
from attnsvm.training.heads.linear import LinearHead
from attnsvm.training.optimisers.adam import adam
from attnsvm.training.start import full_weights

FOLDS = 8.0  # full steps of a level: with steps of one length they would divide its start by exp(FOLDS)
SHRUNK = 0.005  # of the last step's length over that before the steps shrink, a third as many as the full ones
BETA1 = 0.9  # of AdamW


def descent(problems, settings, progress):
    progress.expect((len(RUNS) + 1) * len(problems))
    levels, trained = np.array(settings["decays"]), {}
    for name, run in RUNS.items():
        (W,), ends = full_weights(problems.seeds, problems.tokens.shape[-1], "uniform"), []
        for decay in levels:
            W = level(problems, run, W, settings["learning_rate"] * run.rate, decay)
            ends.append(W)
        trained[name] = {"decays": levels, "weights": np.stack(ends, 1)}
        progress(len(problems))
    few = levels[: settings["adamw_levels"]]
    betas = BETA1, settings["adamw_beta2"]
    ends = by_adamw(problems, settings["adamw_rate"], betas, few, settings["adamw_folds"])
    trained[ADAMW] = {"decays": few, "weights": ends}
    progress(len(problems))
    return trained


def level(problems, run: Run, W: np.ndarray, rate: float, decay: float) -> np.ndarray:
    """Where the rule goes from W (S, d, d) with decay λ: full steps, later as 1/step, then shrinking ones."""
    full = np.minimum(rate, 2.0 / (decay * (1.0 + np.arange(np.ceil(FOLDS / (rate * decay))))))
    for length in (*full, *np.geomspace(full[-1], SHRUNK * full[-1], len(full) // 3)):
        G, log_factor = gradient(problems, W)
        if run.coupled:
            W = W - length * steepest(run.norm, np.exp(log_factor) * G + decay * W)
        else:
            W = (1.0 - length * decay) * W - length * steepest(run.norm, G)
    return W


def by_adamw(problems, rate: float, betas: tuple[float, float], levels: np.ndarray, folds: int) -> np.ndarray:
    """The ends (S, levels, d, d) of AdamW at one rate, whose steps divide the start of a level by exp(folds)."""
    (W,), ends = full_weights(problems.seeds, problems.tokens.shape[-1], "uniform"), []
    for decay in levels:
        steps = int(np.ceil(folds / (rate * decay)))
        rule = adam(rate, *betas, decay)
        W = train(problems, LinearHead, "W", rule, steps, np.array([steps]), start=W).weights[:, -1]
        ends.append(W)
    return np.stack(ends, 1)
