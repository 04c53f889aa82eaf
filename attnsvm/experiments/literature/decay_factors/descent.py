"""Local minima of the loss with weight decay on K and Q, at falling decays."""

import numpy as np

from attnsvm.experiments.paper.regularisation_path.descent import STOP, Excess, minimise
from attnsvm.training.start import factored_weights, full_weights

LEFT = 1e-3  # of the largest singular value: at zero the factors would stay, minimum or not


def descent(problems, settings, progress):
    d, columns = problems.tokens.shape[-1], settings["columns"]
    excess = Excess(problems.tokens, problems.queries, problems.labels, problems.head)
    (W,), identity = full_weights(problems.seeds, d, "uniform"), np.broadcast_to(np.eye(d), (len(problems), d, d))
    drawn = {"all columns": d} | {f"m = {m}": m for m in columns}
    starts = {name: factored_weights(problems.seeds, d, "uniform", m) for name, m in drawn.items()}
    progress.expect((len(starts) + 1) * len(problems))
    ends = {}
    for name, factors in (starts | {"one matrix": (W, identity)}).items():
        ends[name] = minima(excess, factors, settings["decays"], held=name == "one matrix")
        progress(len(problems))
    return {"decays": np.array(settings["decays"]), "ends": ends}


def minima(excess, factors, decays, held=False) -> np.ndarray:
    """K Qᵀ (S, levels, d, d) at local minima of L + λ/2(‖K‖² + ‖Q‖²), each from the one before; held: Q stays."""
    found = []
    for decay in decays:
        start = np.stack(factors, 1)

        def function(which, decay=decay, shape=start.shape[1:]):
            return lambda x: penalised(excess[which], decay, x, shape, held)

        ends = minimise(function, start.reshape(len(start), -1), **STOP).reshape(start.shape)
        factors = ends[:, 0], ends[:, 1]
        found.append(ends[:, 0] @ ends[:, 1].mT)
        if not held:
            U, values, Vt = np.linalg.svd(found[-1])
            root = np.sqrt(np.maximum(values, LEFT * values[:, :1]))[:, None]
            factors = (U * root)[..., : start.shape[-1]], (Vt.mT * root)[..., : start.shape[-1]]
    return np.stack(found, 1)


def penalised(excess, decay, x, shape, held):
    """(L − L*)/λ + ½(‖K‖² + ‖Q‖²), (A,), and its gradient, of A instances at x (A, 2·d·m); L* as of `Excess`."""
    K, Q = np.moveaxis(x.reshape(-1, *shape), 1, 0)
    logs, G = excess(K @ Q.mT)
    G = (np.exp(logs) / decay)[:, None, None] * G
    slope = np.stack([G @ Q + K, np.zeros_like(Q) if held else G.mT @ K + Q], 1)
    return np.exp(logs) / decay + np.vecdot(x, x) / 2, slope.reshape(x.shape)
