"""The numbers of LANES instances as one value in compiled code: `load` reads it from a row of an array, (LANES,).

LLVM holds such a value in registers, as many as the processor needs for it, and rounds each lane as it would alone.
Left to find the same in loops over lanes, it often keeps sums in memory, or takes one lane after the other.
"""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.extending import intrinsic, models, overload, register_jitable, register_model
from numba.np.arrayobj import make_array

from attnsvm.batch import LANES

OPTIONS: Any = {"error_model": "numpy", "fastmath": {"contract"}}  # numba's types know fewer options than numba
# For methods that only compiled code calls: without entry points for Python they compile in half the time.
METHOD: Any = OPTIONS | {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
# For functions that only compiled code calls, and that make no array: nothing counts who holds one. To count takes two
# operations that lock the cache for every part of an array that is handed on: a fifth of the time of a stack.
INNER: Any = METHOD | {"_nrt": False}
# LLVM puts these into the code that calls them; numba would work their types out at every call.
INLINED: Any = INNER | {"forceinline": True}
LINE = 8  # float64 numbers in a line of the cache: a vector register must not read from two of them
TO_INTEGER = 1.5 * 2.0**52  # added to a small whole number, leaves it in the last bits: AVX2 has no such conversion
_intrinsic: Any = intrinsic  # its types leave out what compiled code gives


class Vector(types.Type):
    """Numba's type of LANES numbers; of truth values if `parts` is i1."""

    def __init__(self, name: str, parts: ir.Type):
        super().__init__(name=f"{name}({LANES})")
        self.parts = ir.VectorType(parts, LANES)


@register_model(Vector)
class _Model(models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, kind.parts)


vector, truths = Vector("Vector", ir.DoubleType()), Vector("Truths", ir.IntType(1))


def _require_row(row: Any) -> None:
    if row != types.float64[::1]:
        raise TypingError(f"expected a contiguous row of float64 numbers, got {row}")


def _place(context, builder, signature, given):
    data = make_array(signature.args[0])(context, builder, given[0]).data
    return builder.bitcast(data, vector.parts.as_pointer())


@_intrinsic
def load(_, row):
    """The vector in a contiguous row (LANES,)."""
    _require_row(row)

    def lowered(context, builder, signature, given):
        read = builder.load(_place(context, builder, signature, given))
        read.align = 8
        return read

    return vector(row), lowered


@_intrinsic
def store(_, row, value):
    """row = value."""
    _require_row(row)

    def lowered(context, builder, signature, given):
        builder.store(given[1], _place(context, builder, signature, given)).align = 8
        return context.get_dummy_value()

    return types.void(row, vector), lowered


@_intrinsic
def _spread(_, number):
    def lowered(context, builder, signature, given):
        first = ir.Constant(ir.IntType(32), 0)
        one = builder.insert_element(ir.Constant(vector.parts, ir.Undefined), given[0], first)
        zeros = ir.Constant(ir.VectorType(ir.IntType(32), LANES), None)
        return builder.shuffle_vector(one, one, zeros)

    return vector(types.float64), lowered


@njit(**INLINED)
def each(number):
    """A vector of one number."""
    return _spread(float(number))


def _binary(result: Vector, instruction: str, *given: Any, **named: Any) -> Any:
    @_intrinsic
    def compute(_, left, right):
        def lowered(context, builder, signature, values):
            return getattr(builder, instruction)(*given, *values, **named)

        return result(vector, vector), lowered

    return compute


def _operator(symbol: Callable, compute: Any) -> None:
    """The operator of Python for vectors, and for a vector and a number."""

    @overload(symbol, strict=False, jit_options=INLINED)
    def operation(left, right):
        if left == vector and right == vector:
            return lambda left, right: compute(left, right)
        if left == vector and isinstance(right, types.Number):
            return lambda left, right: compute(left, each(right))
        if right == vector and isinstance(left, types.Number):
            return lambda left, right: compute(each(left), right)
        return None


for _symbol, _name in (("add", "fadd"), ("sub", "fsub"), ("mul", "fmul"), ("truediv", "fdiv")):
    _operator(getattr(operator, _symbol), _binary(vector, _name, flags=("contract",)))
for _symbol, _name in (("gt", ">"), ("ge", ">="), ("lt", "<"), ("le", "<="), ("eq", "==")):
    _operator(getattr(operator, _symbol), _binary(truths, "fcmp_ordered", _name))


@_intrinsic
def _select(_, condition, left, right):
    return vector(truths, vector, vector), lambda context, builder, signature, given: builder.select(*given)


@_intrinsic
def anywhere(_, condition):
    """Whether the condition holds in any lane."""

    def lowered(context, builder, signature, given):
        kind = ir.FunctionType(ir.IntType(1), [truths.parts])
        function = cgutils.get_or_insert_function(builder.module, kind, f"llvm.vector.reduce.or.v{LANES}i1")
        return builder.call(function, given)

    return types.boolean(truths), lowered


def _unary(name: str) -> Any:
    @_intrinsic
    def compute(_, value):
        def lowered(context, builder, signature, given):
            kind = ir.FunctionType(vector.parts, [vector.parts])
            function = cgutils.get_or_insert_function(builder.module, kind, f"llvm.{name}.v{LANES}f64")
            return builder.call(function, given)

        return vector(vector), lowered

    return compute


_root, _floor, _size = _unary("sqrt"), _unary("floor"), _unary("fabs")
rounded = _unary("arithmetic.fence")  # a product that is not made one with the addition that follows


@_intrinsic
def _minus(_, value):
    return vector(vector), lambda context, builder, signature, given: builder.fneg(*given)


@overload(operator.neg, strict=False, jit_options=INLINED)
def _negative(value):
    return (lambda value: _minus(value)) if value == vector else None


@overload(abs, strict=False, jit_options=INLINED)
def _absolute(value):
    return (lambda value: _size(value)) if value == vector else None


def _bits(change: Callable) -> Any:
    """What `change` makes of the bits of a vector: a function of (builder, bits, constant)."""
    whole = ir.VectorType(ir.IntType(64), LANES)

    @_intrinsic
    def compute(_, value):
        def lowered(context, builder, signature, given):
            changed = change(builder, builder.bitcast(given[0], whole), lambda k: ir.Constant(whole, [k] * LANES))
            return builder.bitcast(changed, vector.parts)

        return vector(vector), lowered

    return compute


_power_of_two = _bits(lambda builder, bits, each: builder.shl(builder.add(bits, each(1023)), each(52)))
_above_one = _bits(lambda builder, bits, each: builder.or_(builder.and_(bits, each(2**52 - 1)), each(1023 << 52)))
_above_2_52 = _bits(lambda builder, bits, each: builder.or_(builder.lshr(bits, each(52)), each(1075 << 52)))


def _for_both(of_vectors: Callable, of_numbers: Callable) -> Callable:
    """A function of one argument: a vector, or a number."""

    def function(value):
        raise TypeError("only compiled code calls it")

    @overload(function, strict=False, jit_options=INLINED)
    def chosen(value):
        return of_vectors if value == vector else of_numbers

    return function


root = _for_both(lambda value: _root(value), lambda value: np.sqrt(value))
floor = _for_both(lambda value: _floor(value), lambda value: np.floor(value))
# 2^exponent of a whole number from −1022 to 1023.
two_to = _for_both(
    lambda value: _power_of_two(value + TO_INTEGER),
    lambda value: np.int64((np.float64(value + TO_INTEGER).view(np.int64) + 1023) << 52).view(np.float64),
)
# x = 2^exponent · mantissa of x > 0, the mantissa from 1 on and below 2.
mantissa = _for_both(
    lambda value: _above_one(value),
    lambda value: np.int64((np.float64(value).view(np.int64) & (2**52 - 1)) | (1023 << 52)).view(np.float64),
)
exponent = _for_both(
    lambda value: _above_2_52(value) - (2.0**52 + 1023.0),
    lambda value: np.float64((np.float64(value).view(np.int64) >> 52) - 1023),
)
_vector = _for_both(lambda value: value, lambda value: each(value))


def where(condition, left, right):
    """left where the condition holds, else right; as numbers, too."""
    raise TypeError("where: only compiled code calls it")


@overload(where, strict=False, jit_options=INLINED)
def _where(condition, left, right):
    if condition == truths:
        return lambda condition, left, right: _select(condition, _vector(left), _vector(right))
    return lambda condition, left, right: left if condition else right


@njit(**INLINED)
def larger(left, right):
    """The larger of two, the left one of equals, as `max` takes it."""
    return where(right > left, right, left)


@njit(**INLINED)
def smaller(left, right):
    """The smaller of two, the left one of equals, as `min` takes it."""
    return where(right < left, right, left)


@register_jitable
def zeros(shape):
    """Zeros (..., LANES) that begin with a line of the cache; in compiled code, too."""
    size = 1
    for count in shape:
        size *= count
    room = np.zeros(size + LINE)
    first = -(room.ctypes.data // 8) % LINE
    return room[first : first + size].reshape(shape)


def laid(array: np.ndarray) -> np.ndarray:
    """A contiguous copy of float64 numbers (..., LANES) that begins with a line of the cache."""
    copy = zeros(array.shape)
    copy[...] = array
    return copy
