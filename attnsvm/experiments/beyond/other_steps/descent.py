"""Train two layers by each rule; and by plain descent, beside normalised descent where ‖W‖ is the same."""

import numpy as np

from attnsvm.analysis.stacked import norms
from attnsvm.experiments.beyond.other_steps.runs import JOINT, PATHS, RUNS, SEPARATE, trained_on
from attnsvm.training.heads.linear import LinearHead
from attnsvm.training.late import parted, to_log
from attnsvm.training.optimisers.gradient_descent import exact, plain
from attnsvm.training.stack.descent import train_stack

PATH_EVERY = 4  # steps between those of a path that are kept


def descent(problems, settings, progress):
    progress.expect((len(RUNS) + len(PATHS) + 1) * len(problems))
    trained = {}
    for name, run in RUNS.items():
        steps = settings[run.steps]
        kept = [steps // 2, steps]
        seen, rule = trained_on(run, problems), run.rule(settings)
        log = train_stack(seen, SEPARATE, LinearHead, rule, steps, to_log(kept, [steps]), progress=progress)
        trained[name] = parted(log.steps, log.weights, kept, [steps])
    return trained | {"plain": plain_beside(problems, settings, progress)}


def plain_beside(problems, settings, progress) -> dict:
    """The weights of plain descent, (S, K, 2, 1, d, d), and those of the other paths at the same ‖W‖."""
    steps = settings["plain_steps"]
    kept = steps // 10 ** np.arange(2, -1, -1)
    log = train_stack(problems, JOINT, LinearHead, plain(settings["plain_rate"]), steps, kept, progress=progress)
    found, length = log.arrays("steps", "weights"), norms(log.weights)
    rule, along = exact(settings["path_rate"]), settings["path_steps"]
    for name, stack in PATHS.items():
        path = train_stack(problems, stack, LinearHead, rule, along, PATH_EVERY, progress=progress)
        found[name] = at_length(path.weights, length)
    return found


def at_length(path: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """The weights of a path (S, P, L, H, d, d) where ‖W‖ is `wanted` (S, K) for the last time."""
    along = norms(path)
    inside = along[:, :, None] <= wanted[:, None]  # (S, P, K)
    last = np.minimum(inside.shape[1] - 1 - inside[:, ::-1].argmax(1), inside.shape[1] - 2)
    runs = np.arange(len(path))[:, None]
    before, after = along[runs, last], along[runs, last + 1]
    share = ((wanted - before) / (after - before))[..., None, None, None, None]
    return (1.0 - share) * path[runs, last] + share * path[runs, last + 1]
