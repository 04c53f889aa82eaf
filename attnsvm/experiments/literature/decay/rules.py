"""Steepest descent with weight decay, in five norms, for a batch of matrices at once."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Run:
    """What is trained.

    Attributes:
        norm: of the steepest direction.
        rate: what multiplies the learning rate.
        coupled: whether λW is added to the gradient, before its steepest direction is taken; else W loses ηλW.
    """

    norm: str
    rate: float = 1.0
    coupled: bool = False


NORMS = ("l1", "fro", "linf", "spectral", "nuc")
COUPLED, SMALLER, ADAMW = "linf, coupled", "fro, smaller steps", "AdamW"
# A step of signs is d times as long in the Frobenius norm.
RUNS = {norm: Run(norm, rate=0.3 if norm == "linf" else 1.0) for norm in NORMS}
RUNS |= {SMALLER: Run("fro", rate=0.5), COUPLED: Run("linf", coupled=True)}


def norm_of(run: str) -> str:
    """The norm that a run belongs to; that of AdamW is the max norm."""
    return "linf" if run == ADAMW else RUNS[run].norm


def steepest(norm: str, G: np.ndarray) -> np.ndarray:
    """argmax ⟨G, S⟩ over ‖S‖ ≤ 1 for gradients G (S, d, d), as `geometry.get(norm).steepest` for one."""
    if norm == "fro":
        return G / np.linalg.norm(G, axis=(1, 2), keepdims=True)
    if norm == "linf":
        return np.where(G >= 0, 1.0, -1.0)
    if norm == "l1":
        flat = G.reshape(len(G), -1)
        S, place = np.zeros_like(flat), np.abs(flat).argmax(1)[:, None]
        np.put_along_axis(S, place, np.sign(np.take_along_axis(flat, place, 1)), 1)
        return S.reshape(G.shape)
    U, _, Vt = np.linalg.svd(G)
    return U @ Vt if norm == "spectral" else U[:, :, :1] @ Vt[:, :1]
