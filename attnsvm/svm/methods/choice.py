"""The names of the methods, and the method that takes a problem: by its norm and its number of constraints."""

from dataclasses import dataclass

from attnsvm.geometry import Norm, fro, nuc

ACTIVE_SET, PIVOTING, LAGRANGIAN = "active set", "block pivoting", "augmented Lagrangian"
INTERIOR, CONIC = "interior point", "conic"
WORKING_SET = " on a working set"  # after the name of an interior-point or conic method
METHODS = (ACTIVE_SET, PIVOTING, LAGRANGIAN, INTERIOR, CONIC, INTERIOR + WORKING_SET, CONIC + WORKING_SET)


@dataclass(frozen=True)
class Sizes:
    """Numbers of constraints from which on another method is the faster one, timed by benchmarks/svm.py.

    Attributes:
        pivoting: Frobenius norm: below, one call of compiled non-negative least squares is faster than NumPy.
        lagrangian: Frobenius norm: block pivoting factors parts of the Gram matrix, m² numbers.
        never_formed: Frobenius norm, where block pivoting fails, on equalities and where no W exists: the active set
            factors the matrix of the constraints, the augmented Lagrangian never forms it.
        nuclear_working_set: the Schur complement of the interior-point method takes m² numbers.
        conic_working_set: a conic solver gets m·d·e numbers.
    """

    pivoting: int = 40
    lagrangian: int = 350
    never_formed: int = 150
    nuclear_working_set: int = 400
    conic_working_set: int = 800


SIZES = Sizes()


def named(measure: Norm, size: int, method: str | None) -> str:
    """The method for a problem of `size` constraints, or the one asked for.

    Raises:
        ValueError: the method does not exist, or does not solve this norm.
    """
    known: tuple[str, ...]
    switches: tuple[int, ...]
    if measure is fro.NORM:
        known, switches = (ACTIVE_SET, PIVOTING, LAGRANGIAN), (SIZES.pivoting, SIZES.lagrangian)
    elif measure is nuc.NORM:
        known, switches = (INTERIOR, INTERIOR + WORKING_SET, CONIC, CONIC + WORKING_SET), (SIZES.nuclear_working_set,)
    else:
        known, switches = (CONIC, CONIC + WORKING_SET), (SIZES.conic_working_set,)
    if method is not None and method not in known:
        fitting = f"{', '.join(known)} for the norm {measure.name}"
        raise ValueError(f"method: expected None or one of {fitting}, got {method!r}")
    return method or known[sum(size >= switch for switch in switches)]
