"""Batches of token-selection problems."""

from dataclasses import MISSING, dataclass, fields

import numpy as np


@dataclass(frozen=True)
class Problems:
    """S problems of one shape.

    Attributes:
        tokens: (S, n, T, d) float64, the T tokens x_it of each of the n inputs.
        queries: (S, n, d) float64, the query z_i of each input.
        labels: (S, n) float64, each +1 or -1.
        head: the prediction head's weights, float64: (S, d) for a vector v, (S, d, d) for a matrix V.
        seeds: (S,) int64, the seed each instance was drawn from.
        lengths: (S, n) int, how many tokens each input has, from 1 to T; those behind are padding, any finite numbers.
            Later stages may read such inputs; nothing trains on them. None: all have T.
    """

    tokens: np.ndarray
    queries: np.ndarray
    labels: np.ndarray
    head: np.ndarray
    seeds: np.ndarray
    lengths: np.ndarray | None = None

    def __post_init__(self):
        T = self.tokens.shape[2]
        if self.lengths is not None and not ((self.lengths >= 1) & (self.lengths <= T)).all():
            raise ValueError(f"lengths: expected numbers from 1 to {T}, the number of tokens")

    def __len__(self) -> int:
        return len(self.seeds)

    def __getitem__(self, index) -> "Problems":
        """The sub-batch at `index` (a slice, a mask or an index array)."""
        return Problems(**{name: array[index] for name, array in self.arrays().items()})

    def require_finite(self) -> None:
        """ValueError for NaN, infinity or masked entries."""
        for name, array in self.arrays().items():
            if np.ma.is_masked(array) or not np.isfinite(array).all():
                raise ValueError(f"{name}: expected finite numbers, none of them masked")

    def arrays(self) -> dict[str, np.ndarray]:
        """The arrays by name; without lengths where all inputs have T tokens."""
        arrays = {f.name: getattr(self, f.name) for f in fields(self)}
        return {name: array for name, array in arrays.items() if array is not None}

    @classmethod
    def from_arrays(cls, arrays: dict[str, np.ndarray]) -> "Problems":
        return cls(**{f.name: arrays[f.name] for f in fields(cls) if f.name in arrays or f.default is MISSING})
