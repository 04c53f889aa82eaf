"""The gradient of a weight as a sum of outer products, each with a power of two: what every rule can read.

A matrix that multiplies activations gets one outer product from each row that it acts on. Added up, the small ones
would be lost; a spectral step needs them, where the large ones leave directions free.
"""

from typing import NamedTuple

import numpy as np

from attnsvm.training.tape.scaled import LN2, NOTHING, Scaled, by_rows, largest, power_of_two, tidy


class Terms(NamedTuple):
    """Σ_r 2^(k_r) left_r right_rᵀ.

    Attributes:
        left: (S, r, d); right: (S, r, e); k: (S, r) int.
    """

    left: np.ndarray
    right: np.ndarray
    k: np.ndarray

    @property
    def T(self) -> "Terms":
        return Terms(self.right, self.left, self.k)

    @property
    def logs(self) -> np.ndarray:
        """The natural logarithms (S, r) of the factors."""
        return LN2 * self.k

    def times(self, A: np.ndarray) -> "Terms":
        """The matrix times A (S, e, f)."""
        return Terms(self.left, self.right @ A, self.k)

    def summed(self) -> Scaled:
        """The matrix (S, d, e), added up in the unit of its largest term."""
        left, right = self.left, self.right
        k = _without_zeros(self.k, right)
        unit = k.max(1, keepdims=True)
        if ((k > NOTHING) & (unit - k > FAR)).any():  # a zero among the left ones may hide other terms
            k = _without_zeros(k, left)
            unit = k.max(1, keepdims=True)
        shares = power_of_two(k - unit)[..., None]
        left, right = (left * shares, right) if left.size < right.size else (left, right * shares)
        m = left.swapaxes(-1, -2) @ right
        return tidy(Scaled(m, np.broadcast_to(unit[..., None], (*m.shape[:2], 1))))

    def value(self) -> np.ndarray:
        """The matrix (S, d, e) as ordinary floats; zero where it underflows."""
        return self.left.swapaxes(-1, -2) @ (self.right * power_of_two(self.k)[..., None])

    def few(self) -> "Terms":
        """At most d terms with the same sum, where only the sum is read."""
        return self if self.k.shape[1] <= self.left.shape[2] else Terms.of(self.summed())

    @classmethod
    def of(cls, gradient: Scaled) -> "Terms":
        """From the gradient of a vector (S, d), a matrix (S, d, e) or a number (S,)."""
        m, k = gradient.m, gradient.k
        if m.ndim == 1:
            return cls(m[:, None, None], np.ones((len(m), 1, 1)), k[:, None])
        if m.ndim == 2:
            units = np.broadcast_to(np.eye(m.shape[1]), (len(m), m.shape[1], m.shape[1]))
            return cls(units, m[..., None], np.broadcast_to(k, m.shape))
        m, k, _ = by_rows(gradient)
        return cls(np.broadcast_to(np.eye(m.shape[1]), (len(m), m.shape[1], m.shape[1])), m, k[..., 0])

    @classmethod
    def joined(cls, parts: "list[Terms]") -> "Terms":
        """The sum of all."""
        return (
            parts[0] if len(parts) == 1 else cls(*(np.concatenate(part, axis=1) for part in zip(*parts, strict=True)))
        )


FAR = 900  # of two powers so far apart the smaller one may not show


def _without_zeros(k: np.ndarray, factors: np.ndarray) -> np.ndarray:
    """The powers (S, r), NOTHING where a factor (S, r, d) is zero."""
    return np.where(largest(np.abs(factors))[..., 0] > 0.0, k, NOTHING)
