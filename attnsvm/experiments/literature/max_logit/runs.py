"""The rules, without momentum and ε; Muon's polar factor is exact."""

from typing import NamedTuple

BETA1 = 0.9


class Run(NamedTuple):
    """The norm of the steps and of the SVM; the learning rate η; β2 of Adam; whether K and Q move."""

    norm: str
    rate: float = 0.1
    beta2: float = 0.0
    factors: bool = False


RUNS = {
    "normalised": Run("fro"),
    "signs": Run("linf", 0.01),
    "Muon": Run("spectral"),
    "Muon and signs": Run("hybrid"),
    "Adam, β2 = .95": Run("linf", 0.01, 0.95),
    "Adam, β2 = .999": Run("linf", 0.01, 0.999),
    "Muon on (K, Q)": Run("spectral", 0.01, factors=True),
    "long steps on (K, Q)": Run("spectral", factors=True),
}
EDGE = {f"η = {rate:g}": Run("fro", rate) for rate in (0.4, 0.8, 1.6, 3.2)}  # on both sides of the edge of its steps
