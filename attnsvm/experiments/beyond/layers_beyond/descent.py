"""Train two layers of every kind from the same random weights, by steps of one length."""

import numpy as np

from attnsvm.data.problems import Problems
from attnsvm.experiments.beyond.layers_beyond.kinds import KINDS, seen
from attnsvm.experiments.beyond.layers_beyond.models import fixed, model, name
from attnsvm.training.late import parted, to_log
from attnsvm.training.log import logarithmic_steps
from attnsvm.training.optimisers.gradient_descent import exact
from attnsvm.training.optimisers.joint import joint
from attnsvm.training.start import draw_initial, uniform
from attnsvm.training.tape.data import inputs_of
from attnsvm.training.tape.descent import descend


def descent(problems: Problems, settings: dict, progress) -> dict:
    progress.expect(len(KINDS) * len(problems))
    d, steps = problems.tokens.shape[-1], settings["steps"]
    kept = np.union1d(logarithmic_steps(steps, settings["points"]), [steps // 2])
    start, drawn = draw_initial("layers_beyond", problems.seeds, uniform((2, d, d), d)), fixed(problems)
    more = draw_initial("layers_beyond heads", problems.seeds, uniform((2, 2, d, d), d))
    rule, trained = joint(exact(settings["learning_rate"])), {}
    for kind_name, kind in KINDS.items():
        given = inputs_of(seen(kind, problems)) | drawn | {"classes": drawn["classes"][..., None]}
        W = start[:, :, None] if kind.heads == 1 else more
        first = {name(layer, head): W[:, layer - 1, head] for layer in (1, 2) for head in range(kind.heads)}
        log = descend(model(kind), first, given, rule, steps, to_log(kept, [steps]), progress=progress)
        every = np.stack([log.weights[one] for one in first], axis=2)
        every = every.reshape(*every.shape[:2], 2, kind.heads, d, d)
        trained[kind_name] = parted(log.steps, every, kept, [steps])
        fixed_too = ("A", "B") if kind.between == "mlp" else ("values",) if kind.heads > 1 else ()
        trained[kind_name] |= {of: drawn[of] for of in fixed_too}
    return trained
