"""Values that remember their arguments, and the arithmetic of arrays on them.

A model is written for one instance and runs for S at once: the first axis of every array is the instances, and
`Node.shape` the others. An operation is a function that returns a `Node`, with the derivative for each argument.
"""

from collections.abc import Callable
from itertools import count
from typing import Any

import numpy as np

from attnsvm.training.tape.rows import contract
from attnsvm.training.tape.scaled import NOTHING, Scaled, across, by_rows, from_log, tidy, total
from attnsvm.training.tape.terms import Terms

Adjoint = Scaled | Terms
Pull = Callable[[Any], Adjoint]  # of the kind of adjoint that the value has
_order = count()


class Node:
    """A value, and how a loss depends on its arguments.

    Attributes:
        value: (S, ...) float64.
        parents: pairs (node, pull): `pull` takes ∂L/∂value to its part in ∂L/∂node.value.
        log: the logarithms of probabilities, which do not underflow; None for other values.
        winner: the largest of probabilities, as an index (..., 1) into the last axis; None for other values.
        weight: whether it was made of trained weights alone. Then its adjoint is a sum of outer products.
        needed: whether it depends on trained weights, so that its adjoint is needed.
        order: grows from operation to operation.
    """

    __array_ufunc__ = None  # array + node is for the node to do

    def __init__(
        self,
        value: np.ndarray,
        *parents: tuple["Node", Pull],
        log: np.ndarray | None = None,
        winner: np.ndarray | None = None,
        weight: bool = False,
    ):
        self.value, self.log, self.winner, self.weight = value, log, winner, weight
        self.parents = [(node, pull) for node, pull in parents if node.needed]
        self.needed: bool = weight or bool(self.parents)
        self.order = next(_order)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of one instance."""
        return self.value.shape[1:]

    @property
    def T(self) -> "Node":
        """The last two axes exchanged."""
        return transposed(self)

    def __matmul__(self, other: "Operand") -> "Node":
        return matmul(self, self.like(other))

    def __rmatmul__(self, other: np.ndarray) -> "Node":
        return matmul(self.like(other), self)

    def __add__(self, other: "Operand") -> "Node":
        return add(self, self.like(other))

    def __mul__(self, other: "Operand") -> "Node":
        return scale(self, float(other)) if isinstance(other, int | float) else multiply(self, self.like(other))

    def __sub__(self, other: "Operand") -> "Node":
        return self + self.like(other) * -1.0

    def __truediv__(self, other: float) -> "Node":
        return scale(self, 1.0 / other)

    def __neg__(self) -> "Node":
        return self * -1.0

    __radd__, __rmul__ = __add__, __mul__

    def __rsub__(self, other: "Operand") -> "Node":
        return self * -1.0 + other

    def __getitem__(self, index) -> "Node":
        return take(self, index)

    def like(self, x: "Operand") -> "Node":
        """x as a node; an array or a number is the same for all instances, and is not trained."""
        if isinstance(x, Node):
            return x
        x = np.asarray(x, dtype=float)
        return Node(np.broadcast_to(x, (len(self.value), *x.shape)))


Operand = Node | np.ndarray | float


def logarithms(p: Node) -> np.ndarray:
    """The logarithms of probabilities.

    Raises:
        ValueError: p has none: it is neither a softmax nor part of one.
    """
    if p.log is None:
        raise ValueError("expected probabilities from a softmax, got other values: their logarithms are needed")
    return p.log


def matmul(a: Node, b: Node) -> Node:
    """a (..., q, r) times b (..., r, t); either may be a vector (r,), as in NumPy.

    b without the axes in front is the same for all of them. Probabilities stand on the left, so that what they
    carry to the tokens does not underflow.

    Raises:
        ValueError: the shapes do not fit.
    """
    if not (a.shape and b.shape) or a.shape[-1] != b.shape[-2:][0]:
        raise ValueError(f"matmul: expected shapes (..., r) and (..., r, t) or (r,), got {a.shape} and {b.shape}")
    if len(a.shape) == 1:
        row = matmul(reshaped(a, 1, *a.shape), b)
        return reshaped(row, *row.shape[:-2], *row.shape[-1:]) if len(b.shape) > 1 else reshaped(row)
    if len(b.shape) == 1:
        return _times_weights(a, b) if b.weight else _times_vector(a, b)
    if len(b.shape) == 2:
        out = (_rows(a.value) @ b.value).reshape(len(a.value), *a.shape[:-1], b.shape[-1])
    else:
        out = _fitting(np.matmul, a, b)
    weight = a.weight and b.weight
    return Node(out, (a, lambda g: _to_left(g, a, b)), (b, lambda g: _to_right(g, a, b)), weight=weight)


def _times_weights(a: Node, b: Node) -> Node:
    """a (..., r) times a vector of weights (r,)."""
    out = _rows(a.value) @ b.value[..., None]
    return Node(
        out.reshape(len(out), *a.shape[:-1]),
        (a, lambda g: _by_vector(g, b)),
        (b, lambda g: Terms(_rows(a.value), g.m.reshape(out.shape), g.k.reshape(out.shape[:2]))),
    )


def _times_vector(a: Node, b: Node) -> Node:
    """a (..., r) times a vector (r,) that is no weight: a matrix of one column."""
    if b.log is not None:
        return matmul(b, transposed(a))
    return reshaped(matmul(a, reshaped(b, *b.shape, 1)), *a.shape[:-1])


def _rows(x: np.ndarray) -> np.ndarray:
    """(S, ..., d) as (S, rows, d)."""
    return x.reshape(len(x), -1, x.shape[-1])


def _by_vector(g: Scaled, b: Node) -> Scaled:
    v = b.value.reshape(len(b.value), *(1,) * (g.m.ndim - 1), -1)
    k = np.broadcast_to(g.k, g.m.shape)[..., None]
    return tidy(Scaled(g.m[..., None] * v, k))


def in_front(x: np.ndarray, ndim: int) -> np.ndarray:
    """With axes of length one behind that of the instances, up to `ndim` axes."""
    return x if x.ndim >= ndim else x.reshape(len(x), *(1,) * (ndim - x.ndim), *x.shape[1:])


def _to_left(g: Adjoint, a: Node, b: Node) -> Adjoint:
    """∂L/∂a = g bᵀ."""
    if isinstance(g, Terms):
        return g.times(b.value.swapaxes(-1, -2))
    if a.weight and not b.weight:
        return _outer(across(g), b.value.swapaxes(-1, -2)).T
    B = in_front(b.value, g.m.ndim).swapaxes(-1, -2)
    # Of derivatives with respect to probabilities only the differences to the winner's count.
    return unbroadcast(contract(g, B, among=a.winner), a.shape)


def _to_right(g: Adjoint, a: Node, b: Node) -> Adjoint:
    """∂L/∂b = aᵀ g."""
    if isinstance(g, Terms):
        return g.T.times(a.value).T
    if b.weight:
        return _outer(g, a.value)
    if a.log is not None:  # their logarithms, for they underflow
        rows = by_rows(g)
        m, k = from_log(a.log)
        return unbroadcast(contract(across(Scaled(m, k + rows.k)), rows.m), b.shape)
    return unbroadcast(across(contract(across(g), in_front(a.value, g.m.ndim))), b.shape)


def _outer(g: Scaled, x: np.ndarray) -> Terms:
    """Σ over rows of x_q g_qᵀ. Derivatives with respect to logits differ within a row: each is a separate term."""
    left = _rows(x)
    if g.winner is None:
        g = by_rows(g)
        return Terms(left, _rows(g.m), g.k.reshape(left.shape[:2]))
    m, units = _rows(g.m), np.eye(g.m.shape[-1])
    S, r, t = m.shape
    right = (m[..., None] * units).reshape(S, r * t, t)
    return Terms(left.repeat(t, axis=1), right, np.broadcast_to(g.k, g.m.shape).reshape(S, r * t))


def transposed(a: Node) -> Node:
    """The last two axes exchanged."""

    def pull(g: Adjoint) -> Adjoint:
        return g.T if isinstance(g, Terms) else across(g)

    log = None if a.log is None else a.log.swapaxes(-1, -2)
    return Node(a.value.swapaxes(-1, -2), (a, pull), log=log, weight=a.weight)


def _fitting(operation: Callable[..., np.ndarray], a: Node, b: Node) -> np.ndarray:
    """NumPy's operation on the values of each instance.

    Raises:
        ValueError: the shapes do not fit.
    """
    try:
        return operation(in_front(a.value, b.value.ndim), in_front(b.value, a.value.ndim))
    except ValueError:
        name = operation.__name__
        raise ValueError(f"{name}: expected shapes that broadcast, got {a.shape} and {b.shape}") from None


def filled(name: str, x: Operand, like: Node) -> np.ndarray:
    """The array or node x in the shape (S, ...) of `like`; an array is the same for all instances.

    Raises:
        ValueError: it does not broadcast to that shape.
    """
    given = like.like(x)
    try:
        return np.broadcast_to(in_front(given.value, like.value.ndim), like.value.shape)
    except ValueError:
        raise ValueError(f"{name}: expected a shape that fits {like.shape}, got {given.shape}") from None


def add(a: Node, b: Node) -> Node:
    """a + b, with NumPy's broadcasting of one instance.

    Raises:
        ValueError: the shapes do not fit.
    """
    return Node(_fitting(np.add, a, b), (a, lambda g: unbroadcast(g, a.shape)), (b, lambda g: unbroadcast(g, b.shape)))


def multiply(a: Node, b: Node) -> Node:
    """a·b entry by entry, with NumPy's broadcasting of one instance.

    Raises:
        ValueError: the shapes do not fit.
    """
    ndim = max(a.value.ndim, b.value.ndim)
    x, y = in_front(a.value, ndim), in_front(b.value, ndim)

    def times(g: Scaled, factor: np.ndarray, shape: tuple[int, ...]) -> Scaled:
        return unbroadcast(tidy(Scaled(g.m * factor, g.k)), shape)

    return Node(_fitting(np.multiply, a, b), (a, lambda g: times(g, y, a.shape)), (b, lambda g: times(g, x, b.shape)))


def scale(a: Node, factor: float) -> Node:
    """a times a number that is not trained."""

    def pull(g: Adjoint) -> Adjoint:
        return g._replace(left=g.left * factor) if isinstance(g, Terms) else tidy(g._replace(m=g.m * factor))

    return Node(a.value * factor, (a, pull), weight=a.weight)


def mapped(a: Node, value: np.ndarray, slope: np.ndarray, power: np.ndarray | int = 0) -> Node:
    """A function of each entry by itself, with its values and its slopes slope·2^power at a."""
    return Node(value, (a, lambda g: tidy(Scaled(g.m * slope, g.k + power))))


def take(a: Node, index) -> Node:
    """a[index] of each instance, for a basic index (integers, slices, None, ...)."""
    index = (slice(None), *(index if isinstance(index, tuple) else (index,)))

    def pull(g: Scaled) -> Scaled:
        m, k = np.zeros(a.value.shape), np.full(a.value.shape, NOTHING)
        m[index], k[index] = g.m, np.broadcast_to(g.k, g.m.shape)
        return Scaled(m, k)

    return Node(a.value[index], (a, pull), **_of_probabilities(a, lambda x: x[index]))


def _of_probabilities(a: Node, some: Callable[[np.ndarray], np.ndarray]) -> dict[str, Any]:
    """`log` of what `some` picks from the probabilities a, and `winner` if it picks rows as a whole."""
    if a.log is None:
        return {}
    if a.winner is None:
        return {"log": some(a.log)}
    tokens = np.arange(a.shape[-1])
    picked = some(np.broadcast_to(tokens, a.value.shape))
    if picked.ndim < 2 or picked.shape[-1] != len(tokens) or (picked != tokens).any():
        return {"log": some(a.log)}
    return {"log": some(a.log), "winner": some(np.broadcast_to(a.winner, a.value.shape))[..., :1]}


def reshaped(a: Node, *shape: int) -> Node:
    """a in another shape of one instance, in the same order.

    Raises:
        ValueError: the shape has another number of entries.
    """

    def pull(g: Scaled) -> Scaled:
        if g.rowwise and a.shape and shape and a.shape[-1] == shape[-1]:
            return Scaled(g.m.reshape(a.value.shape), g.k.reshape(*a.value.shape[:-1], 1))
        return Scaled(g.m.reshape(a.value.shape), np.broadcast_to(g.k, g.m.shape).reshape(a.value.shape))

    def other(x: np.ndarray) -> np.ndarray:
        return x.reshape(len(x), *shape)

    if np.prod(shape) != np.prod(a.shape):
        raise ValueError(f"reshaped: expected a shape with as many entries, got {a.shape} as {shape}")
    return Node(other(a.value), (a, pull), **_of_probabilities(a, other))


def concatenated(parts: list[Node], axis: int = -1) -> Node:
    """Several arrays one behind the other, along the last axis or another one, counted from the end.

    Raises:
        ValueError: the axis is not negative, or the shapes do not fit.
    """
    if axis >= 0:
        raise ValueError(f"axis: expected a negative number, counted from the end, got {axis}")
    try:
        out = np.concatenate([part.value for part in parts], axis)
    except ValueError:
        shapes = ", ".join(str(part.shape) for part in parts)
        raise ValueError(f"concatenated: expected shapes that differ in axis {axis} only, got {shapes}") from None
    ends = np.cumsum([part.value.shape[axis] for part in parts])

    def pull(start: int, end: int):
        def cut(g: Scaled) -> Scaled:
            place = [slice(None)] * g.m.ndim
            place[axis] = slice(start, end)
            k = g.k if g.k.shape[axis] == 1 else g.k[tuple(place)]
            return tidy(Scaled(g.m[tuple(place)], k))

        return cut

    pulls = [pull(end - part.value.shape[axis], end) for part, end in zip(parts, ends, strict=True)]
    return Node(out, *zip(parts, pulls, strict=True))


def mean(a: Node) -> Node:
    """The mean of all entries of an instance."""
    count = int(np.prod(a.shape))

    def pull(g: Scaled) -> Scaled:
        one = len(g.m), *(1,) * len(a.shape)
        m = np.broadcast_to((g.m / count).reshape(one), a.value.shape)
        return Scaled(m, np.broadcast_to(g.k.reshape(one), a.value.shape))

    return Node(_rows(a.value.reshape(len(a.value), -1)).mean((1, 2)), (a, pull))


def unbroadcast(g: Scaled, shape: tuple[int, ...]) -> Scaled:
    """The adjoint of an array (S, *shape) that was broadcast to the shape of g: the sum over its copies."""
    more = g.m.ndim - 1 - len(shape)
    copied = [1 + axis for axis in range(g.m.ndim - 1) if axis < more or shape[axis - more] < g.m.shape[1 + axis]]
    if not copied:
        return g
    last = g.m.ndim - 1
    axes = tuple(axis for axis in copied if axis != last)
    g = total(g, axes) if axes else g
    if last in copied:
        rows = by_rows(g)
        g = tidy(Scaled(rows.m.sum(-1, keepdims=True), rows.k))
    return Scaled(g.m.reshape(len(g.m), *shape), g.k.reshape(len(g.m), *shape[:-1], -1) if shape else g.k.reshape(-1))
