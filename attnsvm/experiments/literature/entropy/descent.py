"""Train V and a on both losses as published, on several sizes and along the margin; and a layer's W and v."""

import numpy as np

from attnsvm.analysis.probabilities import softmax
from attnsvm.experiments.literature.entropy.layer import fit
from attnsvm.experiments.literature.entropy.value_softmax import along_the_margin, logistic, square, start
from attnsvm.training.start import draw_initial, normal

A_DECADE = 3  # times τ that are kept, of each decade


def descent(problems, settings, progress):
    seeds, C, starts = problems.seeds, settings["columns"], settings["starts"]
    sizes, most = np.array(settings["sizes"]), max(settings["starts"])
    progress.expect((3 + len(starts) + len(sizes)) * len(problems))
    V, a, target = start(seeds, C)
    u = (target[:, None] @ V)[:, 0]
    ends = {
        "logistic": logistic(most * u, most * a, settings["logistic_rate"], settings["logistic_steps"]),
        "square": square(most * V, most * a, target, settings["square_rate"], settings["square_steps"]),
    }
    progress(2 * len(problems))
    fitted = []
    for scale in starts:
        each = np.broadcast_to(scale * V[:, None], (len(seeds), len(sizes), C, C))
        fitted.append(square(each, scale * a[:, None], sizes[:, None] * target[:, None], **flow(settings)))
        progress(len(problems))
    times = np.geomspace(1.0, settings["farthest"], 1 + round(A_DECADE * np.log10(settings["farthest"])))
    paths = {name: along_the_margin(most * u, most * a, times, name == "trained") for name in ("trained", "frozen")}
    progress(len(problems))
    v, layer = most * draw_initial("entropy, head", seeds, normal((problems.tokens.shape[-1],))), []
    for size in sizes:
        layer.append(fit(problems, v, size, **flow(settings)))
        progress(len(problems))
    return {
        "start": {"a": a, "u": u},
        "published": {name: softmax(end) for name, end in ends.items()},
        "starts": np.array(starts),
        "sizes": sizes,
        "square": np.stack(fitted, 1),
        "times": times,
        "margin": paths,
        "layer": np.stack(layer, 1),
    }


def flow(settings) -> dict:
    """Plain steps that are short enough to follow the gradient flow."""
    return {"rate": settings["rate"], "steps": settings["steps"]}
