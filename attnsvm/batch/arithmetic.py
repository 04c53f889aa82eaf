"""Compiled arithmetic on LANES instances at a time, and how compiled code is kept on disk.

Arrays end in an axis of LANES instances. The numbers along it are one value, see vector.py.
"""

import hashlib
import sys
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

from numba import cfunc, njit, types
from numba.core import cgutils
from numba.core.ccallback import CFunc
from numba.core.compiler import Compiler
from numba.extending import intrinsic, overload

from attnsvm.batch.on_disk import kept, named, sources
from attnsvm.batch.vector import (
    INLINED,
    INNER,
    METHOD,
    OPTIONS,
    each,
    exponent,
    floor,
    larger,
    load,
    mantissa,
    store,
    two_to,
    where,
)


class Apart(Compiler):
    """Compiles a function whose arrays overlap none that it writes to: LLVM takes that as given, and tests it nowhere.

    Otherwise every inner loop begins with that test, which takes about as long as the loop's LANES numbers.
    """

    def __init__(self, *given):
        super().__init__(*given)
        self.state.flags.noalias = True


APART: Any = {"pipeline_class": Apart}
COMPILED = ("batch", "geometry", "training")  # the rooms with compiled code
ROOMS = [Path(__file__).resolve().parents[1] / room for room in COMPILED]
SOURCES = sources(*(path for room in ROOMS for path in sorted(room.rglob("[!.]*.py"))))

LOG2_E = 1.4426950408889634
LN2_HIGH, LN2_LOW = 0.6931471803691238, 1.9082149292705877e-10  # ln 2 in two parts, the first with trailing zeros
LOWEST = -708.0  # exp of less is subnormal
SQRT2 = 1.4142135623730951


@cache
def kept_on_disk(function: Callable) -> Any:
    """`function` compiled for the one signature that Python calls it with, and kept on disk for the next process.

    One signature per file: two processes that fill one file at the same time can hand each other's code to a third
    (numba writes index and code in two steps). The file's name holds a hash of the sources of COMPILED.
    """
    return kept(njit, named(function, SOURCES, function.__name__), nogil=True, **OPTIONS)


def shared_by_loops(function: Callable) -> Any:
    """`function` compiled for the one signature that every loop calls it with, and kept on disk for the next loop.

    No array that it writes to may overlap another one, see `Apart`.
    """
    return kept(njit, named(function, SOURCES, function.__name__), **INNER, **APART)


def called_from_loops(function: Any, signature: Any, structures: tuple[type, ...] = (), **known: Any) -> CFunc:
    """`function` compiled for one signature, and kept on disk: compiled code takes it as an argument, and calls it.

    What calls it is compiled once for all functions of this signature. No array that it writes to may overlap another
    one, see `Apart`.

    Args:
        function: its sources, and those of the classes `structures`, whose methods it calls, count beside COMPILED. If
            one of them is defined in no file, the code is not kept.
        known: what the function reads as a global of this name.
    """
    files = [getattr(sys.modules[part.__module__], "__file__", None) for part in (function, *structures)]
    own_sources = sources(*(Path(file) for file in files if file))
    names = *function.__qualname__.split("."), *(structure.__name__ for structure in structures)
    own = named(function, hashlib.sha256(f"{SOURCES}{known}{own_sources}".encode()).hexdigest(), *names, **known)
    compiler = partial(cfunc, signature)
    return kept(compiler, own, **OPTIONS, **APART) if all(files) else compiler(**OPTIONS, **APART)(own)


@intrinsic
def call(_, function, *given):
    """Call what `called_from_loops` has compiled; numba's own call compiles three ways, one of them through Python."""
    expected = function.signature.args

    def lowered(context, builder, signature, values):
        address = builder.extract_value(values[0], 0)
        kinds, parts = signature.args[1].types, cgutils.unpack_tuple(builder, values[1])
        parts = [context.cast(builder, *one) for one in zip(parts, kinds, expected, strict=True)]
        place = builder.bitcast(address, context.get_value_type(function.ftype))
        builder.call(place, parts)
        return context.get_dummy_value()

    return types.void(function, types.StarArgTuple(given)), lowered


def method_of_class(name: str) -> Any:
    """What compiled code calls, with a NamedTuple first: the method of this name of its class.

    No array that the method writes to may overlap another one, see `Apart`.
    """

    def called(structure, *arguments):
        raise TypeError(f"{name}: only compiled code calls it")

    called.__name__ = name

    @overload(called, strict=False, jit_options=METHOD | APART)
    def method(structure, *arguments):
        return getattr(structure.instance_class, name)

    return called


@njit(**INLINED)
def exp(x):
    """exp of x ≤ 709, zero below −708, within 2 units of the last place; of a vector or a number.

    x = k ln 2 + r with |r| ≤ ½ ln 2; Taylor's series to degree 13 for r, k into the exponent.
    """
    y = larger(x, LOWEST)
    k = floor(y * LOG2_E + 0.5)
    r = y - k * LN2_HIGH - k * LN2_LOW
    p = 1.6059043836821613e-10
    p = p * r + 2.08767569878681e-09
    p = p * r + 2.505210838544172e-08
    p = p * r + 2.7557319223985893e-07
    p = p * r + 2.7557319223985893e-06
    p = p * r + 2.48015873015873e-05
    p = p * r + 0.0001984126984126984
    p = p * r + 0.001388888888888889
    p = p * r + 0.008333333333333333
    p = p * r + 0.041666666666666664
    p = p * r + 0.16666666666666666
    p = p * r + 0.5
    p = p * r + 1.0
    p = p * r + 1.0
    return where(x >= LOWEST, p * two_to(k), 0.0)


@njit(**INLINED)
def log(x):
    """log of a normal x > 0, within 2 units of the last place; of a vector or a number. Of zero: −709.

    x = 2^k m with m from 1/√2 to √2; log m = 2 artanh f, f = (m − 1)/(m + 1), by its series to f²³.
    """
    k, m = exponent(x), mantissa(x)
    large = m > SQRT2
    m = where(large, 0.5 * m, m)
    k = where(large, k + 1.0, k)
    f = (m - 1.0) / (m + 1.0)
    y = f * f
    p = 1.0 / 23.0
    p = p * y + 1.0 / 21.0
    p = p * y + 1.0 / 19.0
    p = p * y + 1.0 / 17.0
    p = p * y + 1.0 / 15.0
    p = p * y + 1.0 / 13.0
    p = p * y + 1.0 / 11.0
    p = p * y + 1.0 / 9.0
    p = p * y + 1.0 / 7.0
    p = p * y + 1.0 / 5.0
    p = p * y + 1.0 / 3.0
    p = p * y
    return k * LN2_HIGH + (k * LN2_LOW + 2.0 * (f + f * p))


@njit(**INLINED)
def power(x, p):
    """x^p for x ≥ 0; zero of zero."""
    return where(x > 0.0, exp(p * log(x)), 0.0)


@njit(**INLINED)
def signed_power(x, p):
    """sign(x)|x|^p; zero of zero."""
    size = power(abs(x), p)
    return where(x >= 0.0, size, -size)


@njit(**INLINED)
def sign(x):
    """1, −1, or 0 of zero."""
    return where(x > 0.0, 1.0, where(x < 0.0, -1.0, 0.0))


def copy(source, target):
    """target = source, arrays of one shape. An assignment to a slice compiles ten times as long: it would broadcast."""


@overload(copy, strict=False, jit_options=INNER)
def _copy(source, target):
    if source.ndim == 1:

        def along(source, target):
            for k in range(len(source)):
                target[k] = source[k]

        return along

    def by_first_axis(source, target):
        for k in range(len(source)):
            copy(source[k], target[k])

    return by_first_axis


@njit(**INNER, **APART)
def dot(x, y):
    """The vector Σ_b x (b, LANES) · y (b, LANES), four terms at a time."""
    count = len(x)
    whole = count - count % 4
    total = each(0.0)
    for b in range(0, whole, 4):
        total = total + (
            (load(x[b]) * load(y[b]) + load(x[b + 1]) * load(y[b + 1]))
            + (load(x[b + 2]) * load(y[b + 2]) + load(x[b + 3]) * load(y[b + 3]))
        )
    for b in range(whole, count):
        total = total + load(x[b]) * load(y[b])
    return total


@njit(**OPTIONS, **APART)
def matvec(A, x, out):
    """out (a, LANES) = Σ_b A (a, b, LANES) · x (b, LANES), as `dot` adds."""
    for a in range(A.shape[0]):
        store(out[a], dot(A[a], x))


@njit(**OPTIONS, **APART)
def combine(A, x, out):
    """out (b, LANES) = Σ_a A (a, b, LANES) · x (a, LANES), four terms at a time."""
    count = A.shape[0]
    whole = count - count % 4
    for b in range(A.shape[1]):
        total = each(0.0)
        for a in range(0, whole, 4):
            total = total + (
                (load(A[a, b]) * load(x[a]) + load(A[a + 1, b]) * load(x[a + 1]))
                + (load(A[a + 2, b]) * load(x[a + 2]) + load(A[a + 3, b]) * load(x[a + 3]))
            )
        for a in range(whole, count):
            total = total + load(A[a, b]) * load(x[a])
        store(out[b], total)


@njit(**INNER, **APART)
def subtract(A, scale, B):
    """A −= scale · B, both (a, b, LANES); scale is a vector."""
    for a in range(A.shape[0]):
        for b in range(A.shape[1]):
            store(A[a, b], load(A[a, b]) - scale * load(B[a, b]))


@njit(**INNER, **APART)
def scaled(A, scale, out):
    """out = scale · A, both (a, b, LANES); scale is a vector."""
    for a in range(A.shape[0]):
        for b in range(A.shape[1]):
            store(out[a, b], load(A[a, b]) * scale)
