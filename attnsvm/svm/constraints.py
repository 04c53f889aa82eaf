"""Separation constraints ⟨x_{iα} − x_it, W z_i⟩ ≥ 1 (or = b), as rank-one matrices acting on W."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Constraints:
    """m constraints left_kᵀ W right_k ≥ bound_k (= bound_k where `equality`), one problem.

    Attributes:
        left: (m, d), token differences x_{iα} − x_it.
        right: (m, e), the query z_i of the constraint's input.
        bound: (m,), non-negative where the constraint is an inequality.
        equality: (m,) bool.
        index: (m, 3) int, the input i, its reference token α and the other token t.
    """

    left: np.ndarray
    right: np.ndarray
    bound: np.ndarray
    equality: np.ndarray
    index: np.ndarray

    def __len__(self) -> int:
        return len(self.bound)

    def __getitem__(self, rows) -> "Constraints":
        return Constraints(**{k: v[rows] for k, v in vars(self).items()})

    def apply(self, W: np.ndarray) -> np.ndarray:
        """left_kᵀ W right_k for every k, (m,)."""
        return np.einsum("ka,ka->k", self.left @ W, self.right)

    def adjoint(self, dual: np.ndarray) -> np.ndarray:
        """Σ_k dual_k left_k right_kᵀ, (d, e)."""
        return (self.left * dual[:, None]).T @ self.right


def separation(tokens: np.ndarray, queries: np.ndarray, selected: np.ndarray) -> Constraints:
    """Separate the selected tokens of every input from the rest.

    Args:
        tokens: (n, T, d).
        queries: (n, e).
        selected: (n,) int, one token per input; or (n, T) bool, a set per input (equal logits inside the set).

    The reference token α of a set is its first member.
    """
    n, T, _ = tokens.shape
    selected = np.asarray(selected)
    if selected.ndim == 1:
        chosen = np.zeros((n, T), dtype=bool)
        chosen[np.arange(n), selected] = True
    else:
        chosen = selected
    reference = chosen.argmax(1)
    others = np.array([[t for t in range(T) if t != a] for a in reference]).reshape(n, T - 1)
    inputs = np.repeat(np.arange(n), T - 1)
    alpha, other = np.repeat(reference, T - 1), others.ravel()
    equality = chosen[inputs, other]
    return Constraints(
        left=tokens[inputs, alpha] - tokens[inputs, other],
        right=queries[inputs],
        bound=np.where(equality, 0.0, 1.0),
        equality=equality,
        index=np.stack([inputs, alpha, other], axis=1),
    )


def finite_part(tokens, queries, selected, probabilities) -> Constraints:
    """Equal logit differences log(s_iα/s_it) inside every selected set (n, T) bool, and nothing else."""
    constraints = separation(tokens, queries, selected)
    inside = constraints[constraints.equality]
    i, alpha, t = inside.index.T
    bound = np.log(probabilities[i, alpha]) - np.log(probabilities[i, t])
    return Constraints(inside.left, inside.right, bound, inside.equality, inside.index)
