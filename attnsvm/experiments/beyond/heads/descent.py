"""Train H heads with fixed value vectors v_h, f(X, z) = Σ_h v_hᵀ Xᵀ softmax(X W_h z), at once.

Head h has the same v_h and the same start whatever H is. The control divides the step of each
head by the norm of that head's gradient.
"""

import numpy as np

from attnsvm.data.architecture import Stack
from attnsvm.training.heads.linear import LinearHead
from attnsvm.training.log import logarithmic_steps
from attnsvm.training.optimisers.gradient_descent import exact
from attnsvm.training.stack.descent import train_stack
from attnsvm.training.start import draw_initial, normal


def descent(problems, settings, progress):
    runs = [(count, "joint") for count in settings["heads"]] + [(settings["control"], "separate")]
    most = max(count for count, _ in runs)
    vectors = draw_initial("value vectors", problems.seeds, normal((most, problems.head.shape[1])))
    vectors /= np.linalg.norm(vectors, axis=-1, keepdims=True)
    progress.expect(len(problems) * len(runs))
    return {f"{how}_{count}": _train(problems, vectors[:, :count], how, settings, progress) for count, how in runs}


def _train(problems, vectors, normalisation, settings, progress):
    # V_h v = v_h: a value matrix of rank one in front of the linear head v
    v = problems.head
    values = vectors[..., None] * (v / (v * v).sum(1, keepdims=True))[:, None, None, :]
    stack = Stack(heads=vectors.shape[1], normalisation=normalisation)
    kept = logarithmic_steps(settings["steps"], settings["points"])
    rule = exact(settings["learning_rate"])
    log = train_stack(
        problems, stack, LinearHead, rule, settings["steps"], kept, values=values[:, None], progress=progress
    )
    # (S, steps, H, d, d), and the softmax (S, H, n, T) after the last step
    return {"steps": kept, "weights": log.weights[:, :, 0], "probabilities": log.top[:, :, :, 0], "vectors": vectors}
