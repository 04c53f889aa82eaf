"""Two layers of the same size, and the coding rate of tokens; NumPy and torch alike.

plain   z + Σ_h O_h V_hᵀ Xᵀ softmax(X K_h Q_hᵀ z / √p): K, Q, V, O of (d, p) per head, read out as it is.
crate   z½ = z + Σ_h U_h U_hᵀ Xᵀ softmax(X U_h U_hᵀ z / √p), the subspace attention of CRATE (arXiv 2306.01129): one
        matrix per head is key, query, value and output; then one step of ISTA on a dictionary D (d, d):
        relu(z½ + η Dᵀ(z½ − D z½) − ηλ).

With p twice as large in `crate` both have the same number of parameters: 4·d·H·p, and 2·d·H·p + d² where d = 2·H·p.
"""

import numpy as np

from attnsvm.analysis.probabilities import softmax

PLAIN, CRATE = "plain", "crate"
LAYERS = (PLAIN, CRATE)
MATRICES = {PLAIN: ("K", "Q", "V", "O"), CRATE: ("U",)}


def sizes(kind: str, d: int, heads: int) -> dict[str, tuple[int, ...]]:
    """The shapes of a layer's matrices, (H, d, p) per kind of matrix; of a dictionary, (d, d)."""
    p = d // (2 * heads) if kind == PLAIN else d // heads
    shapes: dict[str, tuple[int, ...]] = dict.fromkeys(MATRICES[kind], (heads, d, p))
    return shapes | ({"D": (d, d)} if kind == CRATE else {})


def scoring(kind: str, layer: dict):
    """W_h (..., H, d, d): the head scores tokens by x_tᵀ W_h z."""
    keys, queries = (layer["K"], layer["Q"]) if kind == PLAIN else (layer["U"], layer["U"])
    return keys @ queries.swapaxes(-1, -2) / keys.shape[-1] ** 0.5


def moving(kind: str, layer: dict):
    """(..., H, d, d): what a head adds to z is this matrix times the mixture of tokens."""
    outputs, values = (layer["O"], layer["V"]) if kind == PLAIN else (layer["U"], layer["U"])
    return outputs @ values.swapaxes(-1, -2)


def attended(kind: str, layer: dict, tokens: np.ndarray, queries: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The queries after attention (S, n, q, d), and the softmax (S, H, n, q, T).

    Args:
        layer: its matrices (S, H, d, p).
        tokens: (S, n, T, d), who is attended to; queries: (S, n, q, d), who attends.
    """
    scores = queries[:, None] @ scoring(kind, layer)[:, :, None].swapaxes(-1, -2) @ tokens[:, None].swapaxes(-1, -2)
    p = softmax(scores)
    mixed = p @ tokens[:, None]
    return queries + (mixed @ moving(kind, layer)[:, :, None].swapaxes(-1, -2)).sum(1), p


def read_out(kind: str, layer: dict, z: np.ndarray, step: float, sparsity: float) -> np.ndarray:
    """The prediction (S, n) at attended queries z (S, n, d); of `crate` after one step of ISTA."""
    if kind == CRATE:
        D = layer["D"]
        left = z - z @ D.swapaxes(-1, -2)
        z = np.maximum(z + step * (left @ D) - step * sparsity, 0.0)
    return (z @ layer["v"][..., None])[..., 0] + layer["b"][..., None]


def coding_rate(Z: np.ndarray, eps: float) -> np.ndarray:
    """R(Z) = ½ log det(I + d/(Nε²) Σ z zᵀ) in nats, (...), of N vectors z (..., N, d), each scaled to length one.

    Without the scaling, the rate would measure the lengths of the vectors.
    """
    N, d = Z.shape[-2:]
    Z = Z / np.maximum(np.linalg.norm(Z, axis=-1, keepdims=True), np.finfo(float).tiny)
    return 0.5 * np.linalg.slogdet(np.eye(d) + d / (N * eps**2) * (Z.swapaxes(-1, -2) @ Z))[1]
