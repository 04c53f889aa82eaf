"""The names of the methods, and the method that takes a problem: by its norm and its number of constraints."""

from dataclasses import dataclass

from attnsvm.geometry import Norm, fro, nuc

ACTIVE_SET, LAGRANGIAN, INTERIOR, CONIC = "active set", "augmented Lagrangian", "interior point", "conic"
WORKING_SET = " on a working set"  # after the name of an interior-point or conic method
METHODS = (ACTIVE_SET, LAGRANGIAN, INTERIOR, CONIC, INTERIOR + WORKING_SET, CONIC + WORKING_SET)


@dataclass(frozen=True)
class Sizes:
    """Numbers of constraints from which on another method is the faster one, timed by benchmarks/svm.py.

    Attributes:
        lagrangian: Frobenius norm: the active set factors the whole matrix of the constraints, this one never forms it.
        nuclear_working_set: the Schur complement of the interior-point method takes m² numbers.
        conic_working_set: a conic solver gets m·d·e numbers.
    """

    lagrangian: int = 150
    nuclear_working_set: int = 400
    conic_working_set: int = 800


SIZES = Sizes()


def named(measure: Norm, size: int, method: str | None) -> str:
    """The method for a problem of `size` constraints, or the one asked for.

    Raises:
        ValueError: the method does not exist, or does not solve this norm.
    """
    known: tuple[str, ...]
    if measure is fro.NORM:
        known, switch = (ACTIVE_SET, LAGRANGIAN), SIZES.lagrangian
    elif measure is nuc.NORM:
        known, switch = (INTERIOR, INTERIOR + WORKING_SET, CONIC, CONIC + WORKING_SET), SIZES.nuclear_working_set
    else:
        known, switch = (CONIC, CONIC + WORKING_SET), SIZES.conic_working_set
    if method is not None and method not in known:
        fitting = f"{', '.join(known)} for the norm {measure.name}"
        raise ValueError(f"method: expected None or one of {fitting}, got {method!r}")
    return method or known[size >= switch]
