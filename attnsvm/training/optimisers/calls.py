"""A rule as compiled loops take it: of one class for all rules, so that a loop is compiled once.

One step of a model, with the functions of a `Mover`:

    empty(pool)
    for every factor:   aim(numbers, slope, weights, memory, pool, step)
    pace(numbers, pool, step)
    for every factor:   move(numbers, weights, memory, pool, step)
    for every (K, Q):   balance(numbers, K, Q)

These four are compiled for each class of rules, and read the rule from an array. A wrapper shares those that it leaves
to the rule inside, which its numbers begin with.
"""

import itertools
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numba import njit, typeof, types
from numba.core import cgutils
from numba.core.ccallback import CFunc
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

from attnsvm.batch import LANES
from attnsvm.batch.arithmetic import INNER, called_from_loops
from attnsvm.batch.singular import NOTHING
from attnsvm.batch.slopes import MEMORY, SLOPE, squares
from attnsvm.batch.vector import load, store, zeros
from attnsvm.training.optimisers import protocol
from attnsvm.training.optimisers.gradient_descent import GradientDescent, plain
from attnsvm.training.optimisers.protocol import Alone, Rule, Wrapper, apply, collect, direct, rate_at, settle


class Mover(NamedTuple):
    """A rule in compiled loops.

    Attributes:
        aim, pace, move, balance: the compiled functions of its class, see above.
        numbers: the rule, see `held`.
        matrices, rows: see `protocol.Alone`.
        along_gradient: whether it is gradient descent that no rule wraps; then `gradient` is the rule.
    """

    aim: CFunc
    pace: CFunc
    move: CFunc
    balance: CFunc
    numbers: np.ndarray
    matrices: int
    rows: int
    along_gradient: bool
    gradient: GradientDescent


class Pool(NamedTuple):
    """The data that all factors of a model share in one step.

    Attributes:
        unit, squares: (LANES,), exp(2·unit)·squares is the sum of what `collect` adds.
        weights: (LANES,), the sum of the squared weights.
        rate: (LANES,), the learning rate.
    """

    unit: np.ndarray
    squares: np.ndarray
    weights: np.ndarray
    rate: np.ndarray


def pooling() -> Pool:
    """A `Pool`, not yet emptied."""
    return Pool(*(zeros((LANES,)) for _ in range(4)))


@njit(**INNER)
def empty(pool):
    """Before the factors of a step."""
    for lane in range(LANES):
        pool.unit[lane] = NOTHING
        pool.squares[lane] = 0.0
        pool.weights[lane] = 0.0


_intrinsic: Any = intrinsic  # its types leave out what compiled code gives
RULE: Any = None  # in what is compiled: the type of the rule, which the next functions read with `held`


def aim(numbers, slope, weights, memory, pool, step):
    """The direction of a factor, and its part in the `Pool`."""
    rule = held(numbers, RULE)
    direct(rule, slope, memory, step)
    collect(rule, memory, pool)
    store(pool.weights, load(pool.weights) + squares(weights))


def pace(numbers, pool, step):
    """The learning rate of this step, once every factor has been aimed."""
    rate_at(held(numbers, RULE), step, pool.weights, pool.rate)


def move(numbers, weights, memory, pool, step):
    """Move a factor, in place."""
    rule = held(numbers, RULE)
    settle(rule, memory, pool)
    apply(rule, weights, memory, pool.rate, step)


def balance(numbers, K, Q):
    """`protocol.balance`, once K and Q have moved."""
    protocol.balance(held(numbers, RULE), K, Q)


def mover(rule: Any) -> Mover:
    """The rule for compiled loops."""
    parts = ((function, _part(rule, methods)) for function, (methods, _) in FUNCTIONS.items())
    compiled = (_compiled(function, typeof(part), classes(part)) for function, part in parts)
    gradient = rule if rule.along_gradient else plain(0.0)
    aim, pace, move, balance = compiled
    numbers = np.concatenate([*_numbers(rule)])
    return Mover(aim, pace, move, balance, numbers, rule.matrices, rule.rows, rule.along_gradient, gradient)


class Constant(NamedTuple("Numbers", [("learning_rate", float)]), Alone):  # type: ignore[misc]
    """What all rules that wrap no other rule begin with; its methods are the defaults."""


def _part(rule: Any, methods: tuple[str, ...]) -> Any:
    """What a rule begins with and has the same methods of these names: the rule inside, or the learning rate alone."""
    part: Any = rule
    while isinstance(part, Wrapper) and _same(part, Wrapper, methods):
        part = part.inner
    return Constant(0.0) if isinstance(part, Alone) and _same(part, Alone, methods) else part


def _same(rule: Rule, base: type, methods: tuple[str, ...]) -> bool:
    return all(getattr(type(rule), method) is getattr(base, method, None) for method in methods)


@cache
def _compiled(function: Any, kind: Any, structures: tuple[type, ...]) -> CFunc:
    return called_from_loops(function, FUNCTIONS[function][1], structures, RULE=kind)


def classes(structure: Any) -> tuple[type, ...]:
    """The class of a NamedTuple, and those of the NamedTuples in it: what the code compiled for it depends on."""
    inside = (part for part in structure if isinstance(part, tuple))
    return type(structure), *(one for part in inside for one in classes(part))


def _numbers(structure: Any) -> Iterator[np.ndarray]:
    """Those of a NamedTuple and of the NamedTuples in it, as floats; of a compiled function the bits of its address."""
    for part in structure:
        if isinstance(part, tuple):
            yield from _numbers(part)
        else:
            yield np.array([part.address]).view(float) if isinstance(part, CFunc) else np.array([float(part)])


@_intrinsic
def held(_, numbers, kind):
    """The NamedTuple of a type whose numbers these are, see `_numbers`."""

    def lowered(context, builder, signature, given):
        first, count = make_array(numbers)(context, builder, given[0]).data, itertools.count()

        def read(part: Any) -> Any:
            if isinstance(part, types.BaseTuple):
                return context.make_tuple(builder, part, [read(one) for one in part])  # type: ignore[attr-defined]
            place = builder.gep(first, [context.get_constant(types.intp, next(count))])
            if isinstance(part, types.FunctionType):
                function = cgutils.create_struct_proxy(part)(context, builder)
                function.c_addr = builder.load(builder.bitcast(place, function.c_addr.type.as_pointer()))
                return function._getvalue()
            return context.cast(builder, builder.load(place), types.float64, part)

        return read(kind.instance_type)

    return kind.instance_type(numbers, kind), lowered


_NUMBERS, _FACTOR = types.float64[::1], types.float64[:, :, ::1]
POOL = typeof(pooling())
# The functions, the methods that they call, and their signatures.
FUNCTIONS: dict[Callable, tuple[tuple[str, ...], Any]] = {
    aim: (("direct", "collect"), types.void(_NUMBERS, SLOPE, _FACTOR, MEMORY, POOL, types.int64)),
    pace: (("rate_at",), types.void(_NUMBERS, POOL, types.int64)),
    move: (("settle", "apply"), types.void(_NUMBERS, _FACTOR, MEMORY, POOL, types.int64)),
    balance: (("balance",), types.void(_NUMBERS, _FACTOR, _FACTOR)),
}
