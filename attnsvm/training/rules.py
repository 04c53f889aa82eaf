"""Rules of descent beyond the Frobenius norm: steepest descent in any norm, ℓp mirror descent, Adam.

A rule sees the gradient of one factor (W, or K, or Q) as a `Slope`, never added up beyond what floats can hold, and
writes the direction in which the factor moves; each is the exact rule at any ‖W‖, however far the gradient is below the
smallest float. `steered.py` runs them. A rule is a NamedTuple class with three methods that are compiled:

direct(slope, memory, step)           writes memory.direction
settle(first, second)                 may scale the directions of K and Q together
apply(weights, memory, rate, step)    moves a factor; `rate` (LANES) is the learning rate at this step

One case is lost: an entry of W that the inputs with the largest gradients leave exactly at zero (tokens with zeros)
gets nothing from inputs whose gradients are smaller by more than a factor of 1e308.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from attnsvm import geometry
from attnsvm.geometry.base import Geometry, steepest_direction
from attnsvm.lanes.arithmetic import LANES, OPTIONS, exp, log, power
from attnsvm.lanes.slopes import SMALLEST, flatten, largest, sum_of_squares
from attnsvm.training.steps import EPSILON, Rule, exact

CONSTANT, ROOT, SHRINKING = 0, 1, 2
SCHEDULES = {"constant": CONSTANT, "root": ROOT, "shrinking": SHRINKING}


@njit(**OPTIONS)
def scheduled(learning_rate, schedule, step, squares, out):
    """out (LANES): the learning rate at this step, for weights with the sum of squares `squares` (LANES)."""
    for lane in range(LANES):
        out[lane] = learning_rate
        if schedule == ROOT:
            out[lane] = learning_rate / np.sqrt(step + 1.0)
        if schedule == SHRINKING:
            out[lane] = learning_rate / max(1.0, np.sqrt(squares[lane]))


@njit(**OPTIONS)
def together(first, second):
    """Divide the gradients of K and Q by the Frobenius norm of both."""
    size, other = first.rows[0], second.rows[0]
    sum_of_squares(first.direction, size)
    sum_of_squares(second.direction, other)
    for lane in range(LANES):
        size[lane] = 1.0 / (np.sqrt(size[lane] + other[lane]) + SMALLEST)
    for direction in (first.direction, second.direction):
        for a in range(direction.shape[0]):
            for b in range(direction.shape[1]):
                for lane in range(LANES):
                    direction[a, b, lane] *= size[lane]


class Steepest(NamedTuple):
    """Steepest descent in a norm, see `steepest`.

    Attributes:
        learning_rate: η.
        schedule: one of SCHEDULES.
        momentum: of the heavy ball.
        geometry: the norm, by `Norm.compiled`.
        joint: whether K and Q are divided by the Frobenius norm of both.
        balanced: whether ‖K‖ and ‖Q‖ are made equal after every step.
    """

    learning_rate: float
    schedule: int
    momentum: float
    geometry: Geometry
    joint: bool
    balanced: bool

    def direct(self, slope, memory, step):
        if self.joint:
            flatten(slope)
            memory.direction[:] = slope.matrix
        else:
            steepest_direction(self.geometry, slope, memory)

    def settle(self, first, second):
        if self.joint:
            together(first, second)

    def apply(self, weights, memory, rate, step):
        direction, velocity, momentum = memory.direction, memory.first, self.momentum
        if momentum == 0.0:
            for a in range(weights.shape[0]):
                for b in range(weights.shape[1]):
                    for lane in range(LANES):
                        weights[a, b, lane] -= rate[lane] * direction[a, b, lane]
            return
        for a in range(weights.shape[0]):
            for b in range(weights.shape[1]):
                for lane in range(LANES):
                    v = momentum * velocity[a, b, lane] + direction[a, b, lane]
                    velocity[a, b, lane] = v
                    weights[a, b, lane] -= rate[lane] * v


def apart(self, first, second):
    """`settle` of a rule that moves each factor by itself."""


class Mirror(NamedTuple):
    """ℓp mirror descent: V ← V − η ∇L/(‖∇L‖_q + epsilon), W = sign(V)|V|^(1/(p − 1))."""

    learning_rate: float
    schedule: int
    p: float
    epsilon: float
    rescaled: bool

    def direct(self, slope, memory, step):
        flatten(slope)
        matrix, direction, top, total = slope.matrix, memory.direction, memory.rows[0], memory.rows[1]
        q = self.p / (self.p - 1.0)
        largest(matrix, top)
        for lane in range(LANES):
            total[lane] = 0.0
        for a in range(matrix.shape[0]):
            for b in range(matrix.shape[1]):
                for lane in range(LANES):
                    total[lane] += power(abs(matrix[a, b, lane]) / top[lane], q)
        for lane in range(LANES):
            factor = 1.0 if self.rescaled else exp(slope.common[lane])
            total[lane] = factor / (power(total[lane], 1.0 / q) * top[lane] * factor + self.epsilon)
        for a in range(matrix.shape[0]):
            for b in range(matrix.shape[1]):
                for lane in range(LANES):
                    direction[a, b, lane] = matrix[a, b, lane] * total[lane]

    settle = apart

    def apply(self, weights, memory, rate, step):
        direction, dual = memory.direction, memory.first
        forth, back = self.p - 1.0, 1.0 / (self.p - 1.0)
        if step == 0:
            for a in range(weights.shape[0]):
                for b in range(weights.shape[1]):
                    for lane in range(LANES):
                        size = power(abs(weights[a, b, lane]), forth)
                        dual[a, b, lane] = size if weights[a, b, lane] >= 0.0 else -size
        for a in range(weights.shape[0]):
            for b in range(weights.shape[1]):
                for lane in range(LANES):
                    dual[a, b, lane] -= rate[lane] * direction[a, b, lane]
                    size = power(abs(dual[a, b, lane]), back)
                    weights[a, b, lane] = size if dual[a, b, lane] >= 0.0 else -size


class Adam(NamedTuple):
    """Adam without an epsilon, with decoupled weight decay.

    The moments are kept in a unit exp(u) and its square, u one per instance and step: the present gradient's factor
    or, where the second moment of the past is larger, that one's. So neither overflows, and what underflows is nothing
    beside what stays. It needs beta1² < beta2: otherwise the first moment itself outgrows the root of the second as the
    gradient vanishes, and so does the step.
    """

    learning_rate: float
    schedule: int
    beta1: float
    beta2: float
    decay: float

    def direct(self, slope, memory, step):
        flatten(slope)
        matrix, direction, first, second = slope.matrix, memory.direction, memory.first, memory.second
        unit, share, one, two = memory.unit, memory.rows[0], memory.rows[1], memory.rows[2]
        beta1, beta2 = self.beta1, self.beta2
        slowest = 0.5 * log(beta2)
        for lane in range(LANES):
            now = slope.common[lane] if step == 0 else max(slope.common[lane], unit[lane] + slowest)
            fade = 0.0 if step == 0 else exp(unit[lane] - now)
            share[lane] = exp(slope.common[lane] - now)
            one[lane] = beta1 * fade
            two[lane] = beta2 * fade * fade
            unit[lane] = now
        grown1 = 1.0 - beta1 ** (step + 1.0)
        grown2 = 1.0 - beta2 ** (step + 1.0)
        weight = np.sqrt(grown2) / grown1
        for a in range(matrix.shape[0]):
            for b in range(matrix.shape[1]):
                for lane in range(LANES):
                    g = matrix[a, b, lane] * share[lane]
                    m = one[lane] * first[a, b, lane] + (1.0 - beta1) * g
                    v = two[lane] * second[a, b, lane] + (1.0 - beta2) * g * g
                    first[a, b, lane] = m
                    second[a, b, lane] = v
                    direction[a, b, lane] = weight * m / np.sqrt(v) if v > 0.0 else 0.0

    settle = apart

    def apply(self, weights, memory, rate, step):
        direction, decay = memory.direction, self.decay
        for a in range(weights.shape[0]):
            for b in range(weights.shape[1]):
                for lane in range(LANES):
                    weights[a, b, lane] -= rate[lane] * (direction[a, b, lane] + decay * weights[a, b, lane])


Steered = Steepest | Mirror | Adam


def follows_rotations(rule: Steered) -> bool:
    """Whether descent may be followed in the coordinates of spans.py.

    It may where the rule turns with the factors and reads no norm of theirs: what never moves has a share in that.
    """
    turns = isinstance(rule, Steepest) and rule.geometry.unitarily_invariant
    return turns and rule.schedule != SHRINKING and not rule.balanced


def steepest(
    norm: str,
    learning_rate: float,
    momentum: float = 0.0,
    schedule: str = "constant",
    joint: bool = False,
    balanced: bool = False,
) -> Rule | Steered:
    """Steepest descent in a norm N: W ← W − η S, S = argmax ⟨∇L, S⟩ over ‖S‖_N ≤ 1, exact at any ‖W‖.

    Each factor by its own gradient. What S is in each norm stands in its file in `attnsvm.geometry`.

    Args:
        norm: N by its name, as in `geometry.get`.
        learning_rate: η.
        momentum: of the heavy ball: the steps S are added up with weights 1, momentum, momentum², ... to the past.
        schedule: "constant"; "root", η/√(k + 1) at step k = 0, 1, ...; "shrinking", η/max(1, ‖W‖_F), with
            ‖(K, Q)‖_F for factors.
        joint: divide the gradients of K and Q by the Frobenius norm of both together; "fro" only.
        balanced: after every step multiply K, and divide Q, by the number that makes their Frobenius norms equal: K Qᵀ
            stays; "fro" only.

    Raises:
        ValueError: there is no such norm or schedule, momentum is not from 0 to 1, or the norm has no such option.
    """
    measure = geometry.get(norm)
    if not 0 <= momentum < 1:
        raise ValueError(f"momentum: expected a number from 0 on and below 1, got {momentum!r}")
    if (joint or balanced) and measure.name != "fro":
        raise ValueError(f"joint, balanced: expected the norm 'fro', got {norm!r}")
    number = _schedule(schedule)
    if measure.name == "fro" and number == CONSTANT and not (momentum or joint or balanced):
        return exact(learning_rate)
    return Steepest(float(learning_rate), number, float(momentum), measure.compiled(), bool(joint), bool(balanced))


def mirror(p: float, learning_rate: float, published: bool = False) -> Mirror:
    """ℓp mirror descent on W, normalised: sign(W)|W|^(p−1) ← itself − η ∇L/(‖∇L‖_q + ε), q = p/(p − 1).

    Published (arXiv 2410.14581 and its code): ε = 2.2e-16, and the steps end once the norm falls below it. Otherwise
    ε = 0, and the factor of a vanishing gradient is kept apart: the same step at any ‖W‖.

    Raises:
        ValueError: p is not above 1.
    """
    if not 1 < p < np.inf:
        raise ValueError(f"p: expected a number above 1, got {p!r}")
    epsilon = EPSILON if published else SMALLEST
    return Mirror(float(learning_rate), CONSTANT, float(p), epsilon, not published)


def adam(learning_rate: float, beta1: float, beta2: float, decay: float = 0.0, schedule: str = "constant") -> Adam:
    """Adam (arXiv 1412.6980) with decoupled weight decay (1711.05101), without ε, exact at any ‖W‖; see `Adam`.

    Args:
        decay: W ← W − η_k (step + decay·W).
        schedule: as in `steepest`.

    Raises:
        ValueError: not 0 ≤ beta1, beta1² < beta2 < 1, or there is no such schedule.
    """
    if not (beta1 >= 0 and beta1**2 < beta2 < 1):
        raise ValueError(f"beta1, beta2: expected 0 <= beta1 and beta1² < beta2 < 1, got {beta1!r} and {beta2!r}")
    return Adam(float(learning_rate), _schedule(schedule), float(beta1), float(beta2), float(decay))


def _schedule(name: str) -> int:
    if name not in SCHEDULES:
        raise ValueError(f"schedule: expected one of {', '.join(SCHEDULES)}, got {name!r}")
    return SCHEDULES[name]
