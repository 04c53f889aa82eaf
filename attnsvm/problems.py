"""Batches of token-selection problems."""

from dataclasses import dataclass, fields

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
    """

    tokens: np.ndarray
    queries: np.ndarray
    labels: np.ndarray
    head: np.ndarray
    seeds: np.ndarray

    def __len__(self) -> int:
        return len(self.seeds)

    def __getitem__(self, index) -> "Problems":
        """The sub-batch at `index` (a slice, a mask or an index array)."""
        return Problems(**{f.name: getattr(self, f.name)[index] for f in fields(self)})

    def arrays(self) -> dict[str, np.ndarray]:
        return {f.name: getattr(self, f.name) for f in fields(self)}

    @classmethod
    def from_arrays(cls, arrays: dict[str, np.ndarray]) -> "Problems":
        return cls(**{f.name: arrays[f.name] for f in fields(cls)})
