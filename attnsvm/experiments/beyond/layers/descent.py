"""Train stacks of several depths and kinds on the same instances, from random weights."""

import numpy as np

from attnsvm.experiments.beyond.layers.architectures import (
    PLANTED,
    RATES,
    VALUES,
    VARIANTS,
    plain,
    stack_of,
    trained_on,
)
from attnsvm.experiments.beyond.layers.ends import QUARTER, early_place
from attnsvm.experiments.beyond.layers.planted import planted
from attnsvm.training.heads.linear import LinearHead
from attnsvm.training.late import parted, to_log
from attnsvm.training.log import logarithmic_steps
from attnsvm.training.optimisers.gradient_descent import exact
from attnsvm.training.stack.descent import train_stack
from attnsvm.training.start import draw_initial, normal

KEPT = ("steps", "weights", "below", "top", "tokens")


def descent(problems, settings, progress):
    every = dict.fromkeys([*map(plain, settings["depths"]), *VARIANTS, *RATES])
    progress.expect((len(every) + 1) * len(problems))
    rule, trained = exact(settings["learning_rate"]), {}
    for name in every:
        stack, steps = stack_of(name), settings["long_steps" if name == plain(2) else "steps"]
        kept = np.union1d(
            logarithmic_steps(steps, settings["points"]), settings["steps"]
        )  # all have one step in common
        read = [steps]
        if name == plain(2):
            kept = np.union1d(kept, int(steps * QUARTER))
            read = np.unique([kept[early_place(kept)], int(steps * QUARTER), steps])
        given = {"values": rotations(problems, stack.layers)} if name == VALUES else {}
        seen = trained_on(name, problems)
        log = train_stack(seen, stack, LinearHead, rule, steps, to_log(kept, read), progress=progress, **given)
        trained[name] = log.arrays(*KEPT) | parted(log.steps, log.weights, kept, read) | given
    W, known = planted(problems, trained[plain(2)])
    steps = settings["steps"]
    kept = logarithmic_steps(steps, settings["points"])
    log = train_stack(problems, stack_of(plain(2)), LinearHead, rule, steps, kept, start=(W,), progress=progress)
    trained[PLANTED] = log.arrays("steps", "weights") | known
    return trained


def rotations(problems, layers: int) -> np.ndarray:
    """A random rotation or reflection per layer, (S, layers, 1, d, d): what a row gains by a token differs by layer."""
    d = problems.tokens.shape[-1]
    drawn = draw_initial("rotations", problems.seeds, normal((layers, 1, d, d)))
    Q, R = np.linalg.qr(drawn)
    return Q * np.sign(np.diagonal(R, axis1=-2, axis2=-1))[..., None, :]
