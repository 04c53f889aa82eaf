"""Matrix norms of the max-margin problems and of steepest descent: one file each, with the name of the norm.

A file has a class with everything that solvers, measures and the loops of descent ask of a norm, and its instance NORM.
A new norm is one file here, and one entry in `svm/checker.py`, which repeats the definition.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from attnsvm import batch
from attnsvm.system.lazy import modules_in

if TYPE_CHECKING:  # the command line lists the names, and needs no NumPy
    import numpy as np

FAMILY = "lp"  # the file of the norms l<p>
NAMES = tuple(name for name in modules_in(Path(__file__).parent) if name not in ("__init__", FAMILY))
POWER = re.compile(r"l[0-9]{1,3}(\.[0-9]{1,30})?")
KNOWN = f"{', '.join(NAMES)}, or l<p> with a number p, as in l1.75"
BIAS_NORM = {"W": "fro", "KQ": "nuc"}  # the implicit bias of descent on each parametrisation


class Norm(ABC):
    """A norm on matrices, over the last two axes of an array.

    Attributes:
        name: the name in configurations, files and `get`.
        block_power: p, where the norm of a block-diagonal matrix is the p-norm of the norms of its blocks; None where
            it is no function of these.
        unitarily_invariant: whether ‖U W V‖ = ‖W‖ for orthogonal U and V; right_invariant: whether ‖W V‖ = ‖W‖.
        reads_terms: whether `steepest_lanes` reads the terms of the gradient one by one, and not only their sum.
        tolerance: relative duality gap that a solution must prove, unless told otherwise.
        parameter: a number that `steepest_lanes` is given, as that in the norm's name.
    """

    name: str
    block_power: float | None
    unitarily_invariant = right_invariant = False
    reads_terms = False
    tolerance = 1e-7
    parameter = 0.0

    @abstractmethod
    def value(self, W: np.ndarray) -> np.ndarray:
        """‖W‖, (...) for W (..., d, e)."""

    @abstractmethod
    def dual(self, M: np.ndarray) -> np.ndarray:
        """The dual norm max {⟨M, W⟩ : ‖W‖ ≤ 1}, (...) for M (..., d, e)."""

    @abstractmethod
    def steepest(self, M: np.ndarray) -> np.ndarray:
        """A W (d, e) with ‖W‖ = 1 and ⟨M, W⟩ = dual(M), for one matrix M ≠ 0."""

    @abstractmethod
    def expression(self, cvxpy, W):
        """The norm of a cvxpy variable, as a cvxpy expression; `cvxpy`: the library, which few problems import."""

    @staticmethod
    @abstractmethod
    def steepest_lanes(parameter: float, slope: NamedTuple, memory: NamedTuple) -> None:
        """`steepest` for compiled loops, on LANES matrices: write it to memory.direction (d, e, LANES).

        It is compiled, and names the functions that it calls in full, as in `batch.slopes.flatten`: the module that
        compiles it has imported them, and values need no compiler.

        Args:
            parameter: as above.
            slope: the gradient, a `slopes.Slope`; it may be zero.
            memory: a `slopes.Memory`, for its direction and its scratch.
        """


class OfSingularValues(Norm):
    """A norm whose steepest direction has the singular vectors of the gradient; it is compiled once for all of them."""

    unitarily_invariant = right_invariant = reads_terms = True

    @staticmethod
    def steepest_lanes(only, slope, memory):
        """The polar factor, zero where ∇L is zero; with `only` 1 its leading pair of singular vectors alone."""
        pairs = 1 if only == 1.0 else len(slope.left)
        batch.singular.polar(slope.left, slope.right, slope.logs, memory.room, pairs, memory.direction)


def get(name: str) -> Norm:
    """The norm called `name`: one of `NAMES`, or "l<p>" with a number p, as in "l1.75". No other file is imported.

    Raises:
        ValueError: the norm does not exist.
    """
    if isinstance(name, str) and name in NAMES:
        return import_module(f"{__name__}.{name}").NORM
    if not (isinstance(name, str) and POWER.fullmatch(name)):  # as the checker and answer files have it
        raise ValueError(f"norm: expected one of {KNOWN}, got {name!r}")
    return import_module(f"{__name__}.{FAMILY}").norm(float(name[1:]))
