"""Random numbers that are new in every step."""

import numpy as np

NOISE_STREAM = 40127  # keeps the noise apart from the data drawn with the same seed
DRAWN_AT_ONCE = 50  # steps whose noise is drawn together


class Noise:
    """Numbers (n, T) per instance and step, of a kind that NumPy draws: "gumbel", or "random" in [0, 1).

    The numbers of an instance follow from its seed alone.
    """

    def __init__(self, seeds: np.ndarray, shape: tuple[int, int], kind: str):
        self._draw = [getattr(np.random.default_rng([NOISE_STREAM, seed]), kind) for seed in seeds.tolist()]
        self._drawn = np.zeros((len(seeds), DRAWN_AT_ONCE, *shape))
        self._blocks = np.zeros(len(seeds), dtype=int)

    def __call__(self, step: int, places: np.ndarray) -> np.ndarray:
        """(s, n, T) of the instances at `places`, for each of which the steps are asked for in turn, from 0 on."""
        block, within = divmod(step, DRAWN_AT_ONCE)
        for place in places[self._blocks[places] <= block]:
            self._drawn[place] = self._draw[place](size=self._drawn.shape[1:])
            self._blocks[place] += 1
        return self._drawn[places, within]
