"""Follow gradient flow of two causal layers to the induction circuit, by short steps whose time is known."""

import numpy as np

from attnsvm.training.stack.lookup import averaged, drawn, forces
from attnsvm.training.start import draw_initial, uniform

STREAM = 51103  # keeps new inputs apart from what else is drawn with a seed
RUNS: dict[str, dict] = {
    "random": {"new": True},
    "averaged": {"mean": True},
    "plane": {"mean": True, "plane": True},
    "below given": {"mean": True, "given": True},
    "below halved": {"mean": True, "rates": (0.5, 1.0)},
    "top halved": {"mean": True, "rates": (1.0, 0.5)},
    "fixed inputs": {},
}


def descent(problems, settings, progress):
    return followed(problems, settings, progress, ("time", "path"))


def followed(problems, settings, progress, kept):
    """What is kept of `emerge` for every run and instance."""
    T, d = problems.tokens.shape[2:]
    symbols = problems.tokens[..., : T - 1].argmax(-1)
    starts = settings["start"] * draw_initial("emergence", problems.seeds, uniform((2, d, d), d))
    progress.expect(len(problems))
    found: dict[str, list] = {name: [] for name in settings["runs"]}
    for inputs, W, seed in zip(symbols, starts, problems.seeds.tolist(), strict=True):
        for name, of in found.items():
            of.append(emerge(inputs, W, np.random.default_rng([STREAM, seed]), settings, **RUNS[name]))
        progress(1)
    return {name: {key: np.array([one[key] for one in each]) for key in kept} for name, each in found.items()}


def emerge(symbols, W, generator, settings, new=False, mean=False, plane=False, given=False, rates=(1.0, 1.0)):
    """Train W (2, d, d) on inputs (n, N) until the top gives half of its weight to the answers: when, by what way.

    `time` is NaN if that does not happen.
    """
    (n, N), d, squares = symbols.shape, W.shape[-1], np.square(rates)
    lines = np.stack([np.eye(d, k=1), np.eye(d, k=-2 * N + 1)])  # the place before; equal symbols
    lines[0, :, :N] = lines[0, :, 2 * N - 1 :] = 0.0
    moves = (squares * [not given, True])[:, None, None]
    many = n * -(-settings["inputs"] // n)
    time = path = seen = gone = 0.0

    def along(G):
        return lines * (G * lines).sum((1, 2), keepdims=True) / (N - 1)

    W = start = along(averaged(W, N)) if plane else averaged(W, N) if mean else W
    for _ in range(settings["limit"]):
        before, (seen, G) = seen, forces(W, drawn(generator, N, many) if new else symbols, given)
        if seen >= 0.5:
            break
        G, smooth = moves * G, averaged(moves * G, N)
        smooth = along(smooth) if plane else smooth
        gone = settings["step"] * np.sqrt(N / ((smooth**2).sum((1, 2)) @ (1.0 / squares)))
        W, time, path = W + gone * (smooth if mean else G), time + gone, path + settings["step"] * np.sqrt(N)
    time -= (seen - 0.5) / (seen - before) * gone if seen >= 0.5 else np.nan
    return {"time": time, "path": path, "weights": W, "grown": W - start}
