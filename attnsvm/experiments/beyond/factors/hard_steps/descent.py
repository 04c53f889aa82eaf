"""Train (K, Q) by the published rule; then on by that rule, by hard steps as long, and by hard steps far out."""

import numpy as np

from attnsvm.analysis.selection import selected_tokens
from attnsvm.experiments.beyond.factors.hard_steps.hard import Factors, constraints, hard_steps
from attnsvm.training.descent import train
from attnsvm.training.heads.linear import LinearHead
from attnsvm.training.log import logarithmic_steps
from attnsvm.training.optimisers.gradient_descent import exact
from attnsvm.training.start import factored_weights
from attnsvm.training.tape.attention import compare, softmax
from attnsvm.training.tape.data import inputs_of
from attnsvm.training.tape.descent import descend
from attnsvm.training.tape.losses import logistic


def descent(problems, settings, progress):
    progress.expect(2 * len(problems))
    near, steps, rate = settings["near"], settings["steps"], settings["learning_rate"]
    K, Q = factored_weights(problems.seeds, problems.tokens.shape[-1], "uniform")
    given = inputs_of(problems)
    log = descend(_loss, {"K": K, "Q": Q}, given, exact(rate), near, near, progress=progress)
    start = Factors(log.weights["K"][:, -1], log.weights["Q"][:, -1])
    kept = logarithmic_steps(steps, settings["points"])
    run = train(problems, LinearHead, "KQ", exact(rate), steps, kept, start=tuple(start), progress=progress)
    pairs = constraints(problems, selected_tokens(run.probabilities))
    here, way = start, []
    for count in np.diff(kept, prepend=0):
        here = hard_steps(pairs, here, np.full(count, rate))
        way.append(here.W)
    trained = {"published": run.arrays("steps", "weights", "probabilities"), "hard": np.stack(way, axis=1)}
    for name, together in (("two norms", False), ("one norm", True)):
        far = hard_steps(pairs, here, np.full(settings["far"], settings["share"]), relative=True, together=together)
        trained[name] = far._asdict()
    return trained


def _loss(weights, given):
    p = softmax(compare(given["queries"] @ weights["Q"], given["tokens"] @ weights["K"]))
    return logistic(given["labels"], p @ given["tokens"] @ given["head"])
