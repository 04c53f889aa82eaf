"""Steepest descent in any norm."""

from typing import NamedTuple

import numpy as np
from numba import njit

from attnsvm import norms
from attnsvm.lanes.arithmetic import LANES, OPTIONS, power
from attnsvm.lanes.singular import polar
from attnsvm.lanes.slopes import SMALLEST, flatten, largest, sum_of_squares
from attnsvm.training.rules.gradient_descent import GradientDescent, exact
from attnsvm.training.rules.protocol import rule

FROBENIUS, MAX, ONE, SPECTRAL, NUCLEAR, POWER = range(6)
GEOMETRIES = {"fro": FROBENIUS, "linf": MAX, "l1": ONE, "spectral": SPECTRAL, "nuc": NUCLEAR}


@njit(**OPTIONS)
def along_frobenius(slope, memory):
    """∇L/‖∇L‖_F."""
    size, matrix, direction = memory.rows[0], slope.matrix, memory.direction
    sum_of_squares(matrix, size)
    for lane in range(LANES):
        size[lane] = 1.0 / (np.sqrt(size[lane]) + SMALLEST)
    for a in range(matrix.shape[0]):
        for b in range(matrix.shape[1]):
            for lane in range(LANES):
                direction[a, b, lane] = matrix[a, b, lane] * size[lane]


@njit(**OPTIONS)
def along_max(slope, memory):
    """The sign of every entry."""
    matrix, direction = slope.matrix, memory.direction
    for a in range(matrix.shape[0]):
        for b in range(matrix.shape[1]):
            for lane in range(LANES):
                g = matrix[a, b, lane]
                direction[a, b, lane] = 1.0 if g > 0.0 else (-1.0 if g < 0.0 else 0.0)


@njit(**OPTIONS)
def along_one(slope, memory):
    """The sign of the largest entry alone, the first of equals."""
    matrix, direction, best, where = slope.matrix, memory.direction, memory.rows[0], memory.rows[1]
    d, e = matrix.shape[:2]
    for lane in range(LANES):
        best[lane] = 0.0
        where[lane] = -1.0
    for a in range(d):
        for b in range(e):
            for lane in range(LANES):
                size = abs(matrix[a, b, lane])
                where[lane] = float(a * e + b) if size > best[lane] else where[lane]
                best[lane] = max(best[lane], size)
    for a in range(d):
        for b in range(e):
            for lane in range(LANES):
                sign = 1.0 if matrix[a, b, lane] > 0.0 else -1.0
                direction[a, b, lane] = sign if where[lane] == float(a * e + b) else 0.0


@njit(**OPTIONS)
def along_power(slope, memory, p):
    """sign(∇L)|∇L|^(q − 1) divided by its ℓp norm, 1/p + 1/q = 1."""
    matrix, direction, top, total = slope.matrix, memory.direction, memory.rows[0], memory.rows[1]
    q = p / (p - 1.0)
    largest(matrix, top)
    for lane in range(LANES):
        top[lane] = 1.0 / top[lane]
        total[lane] = 0.0
    for a in range(matrix.shape[0]):
        for b in range(matrix.shape[1]):
            for lane in range(LANES):
                g = matrix[a, b, lane] * top[lane]
                size = power(abs(g), q - 1.0)
                total[lane] += size * abs(g)
                direction[a, b, lane] = size if g >= 0.0 else -size
    for lane in range(LANES):
        total[lane] = power(total[lane], -1.0 / p)
    for a in range(matrix.shape[0]):
        for b in range(matrix.shape[1]):
            for lane in range(LANES):
                direction[a, b, lane] *= total[lane]


@rule
class Steepest(NamedTuple):
    """W ← W − η S, see `steepest`.

    Attributes:
        learning_rate: η.
        norm: one of GEOMETRIES, or POWER.
        p: of the norm ℓp; of no meaning in another norm.
    """

    learning_rate: float
    norm: int
    p: float

    @property
    def follows_rotations(self):
        return self.norm in (FROBENIUS, SPECTRAL, NUCLEAR)

    @property
    def reads_terms(self):
        return self.norm in (SPECTRAL, NUCLEAR)

    def direct(self, slope, memory, step):
        if self.norm == SPECTRAL or self.norm == NUCLEAR:
            pairs = len(slope.left) if self.norm == SPECTRAL else 1
            polar(slope.left, slope.right, slope.logs, memory.room, pairs, memory.direction)
            return
        flatten(slope)
        if self.norm == FROBENIUS:
            along_frobenius(slope, memory)
        elif self.norm == MAX:
            along_max(slope, memory)
        elif self.norm == ONE:
            along_one(slope, memory)
        else:
            along_power(slope, memory, self.p)


def steepest(norm: str, learning_rate: float) -> Steepest | GradientDescent:
    """Steepest descent in a norm N: W ← W − η S, S = argmax ⟨∇L, S⟩ over ‖S‖_N ≤ 1, exact at any ‖W‖.

    Each factor by its own gradient. In the Frobenius norm that is `exact`. In the spectral norm S is the polar factor,
    zero where ∇L is zero; in the nuclear norm the leading pair of singular vectors; in ℓ1 the sign of the largest
    entry; in the max norm the sign of every entry that is not zero.

    One case is lost: an entry of W that the inputs with the largest gradients leave exactly at zero (tokens with zeros)
    gets nothing from inputs whose gradients are smaller by more than a factor of 1e308.

    Args:
        norm: "fro", "linf", "spectral", "l1", "nuc", or "l<p>" such as "l1.75"; see `norms.get`.
        learning_rate: η.

    Raises:
        ValueError: there is no such norm.
    """
    measure = norms.get(norm)
    if measure.name == "fro":
        return exact(learning_rate)
    return Steepest(float(learning_rate), GEOMETRIES.get(measure.name, POWER), float(getattr(measure, "p", 0.0)))
