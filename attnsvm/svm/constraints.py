"""Separation constraints ⟨x_{iα} − x_it, W z_i⟩ ≥ 1 (or = b), as rank-one matrices acting on W."""

from dataclasses import dataclass

import numpy as np

from attnsvm.svm.arguments import finite_array, problem_arrays, token_indices


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
        return ((self.left @ W) * self.right).sum(1)

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

    Raises:
        ValueError: an array is not finite or of another shape, a token number is out of range, or a set is empty.
    """
    tokens, queries = problem_arrays(tokens, queries)
    n, T, _ = tokens.shape
    selected = np.asarray(selected)
    if selected.dtype == bool:
        if selected.shape != (n, T):
            raise ValueError(f"selected: expected a boolean array of shape {(n, T)}, got {selected.shape}")
        if not selected.any(1).all():
            raise ValueError(
                f"selected: expected a token in every set, got none for input {(~selected.any(1)).argmax()}"
            )
        chosen = selected
    else:
        chosen = np.arange(T) == token_indices("selected", selected, (n,), T)[:, None]
    reference = chosen.argmax(1)
    others = np.array([[t for t in range(T) if t != a] for a in reference], dtype=int).reshape(n, T - 1)
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


def sequence(tokens: np.ndarray, selected: np.ndarray, causal: bool = False) -> Constraints:
    """Self-attention with a query at every position: x_iα, selected at position k, wins against x_it with z = x_ik.

    Args:
        tokens: (n, T, d).
        selected: (n, T) int, the token selected by the query at each position.
        causal: only tokens t ≤ k compete for the query at position k, and α ≤ k.

    `index` holds (i·T + k, α, t): the query's place in the flattened (n, T) positions, then the two tokens.

    Raises:
        ValueError: as `separation`, or a causal selection lies ahead of its position.
    """
    tokens = finite_array("tokens", tokens, (None, None, None), "(n, T, d)")
    n, T, d = tokens.shape
    selected = token_indices("selected", selected, (n, T), T)
    positions = np.arange(T)
    if causal and (selected > positions).any():
        raise ValueError("selected: expected causal token numbers up to their position, got one ahead of it")
    everywhere = separation(np.repeat(tokens, T, axis=0), tokens.reshape(n * T, d), selected.ravel())
    return everywhere[everywhere.index[:, 2] <= everywhere.index[:, 0] % T] if causal else everywhere


def finite_part(tokens, queries, selected, probabilities) -> Constraints:
    """Equal logit differences log(s_iα/s_it) inside every selected set (n, T) bool, and nothing else."""
    constraints = separation(tokens, queries, selected)
    probabilities = finite_array("probabilities", probabilities, np.shape(tokens)[:2], f"{np.shape(tokens)[:2]}")
    inside = constraints[constraints.equality]
    if not (probabilities[np.asarray(selected)] > 0).all():
        raise ValueError("probabilities: expected positive numbers inside the selected sets, got zero or less")
    i, alpha, t = inside.index.T
    bound = np.log(probabilities[i, alpha]) - np.log(probabilities[i, t])
    return Constraints(inside.left, inside.right, bound, inside.equality, inside.index)
