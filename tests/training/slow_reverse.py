"""Reverse mode in multiple precision, number by number: what the tape is held against in saturation.

Every operation is written from its definition; nothing is scaled, and no derivative of a matrix appears. Arrays are
NumPy's, of `Number`s and mpmath's numbers, of one instance. All sums have `mp.dps` digits, as many as cancel.
"""

from collections.abc import Callable

import mpmath
import numpy as np
from mpmath import mp, mpf

OWN_DIGITS = 60  # of exp and its kin: as if the argument differed by 1e-60, while what is done with it is exact


class Number:
    """A number, and its derivatives with respect to those that it was made of."""

    def __init__(self, value, *parents):
        self.value, self.parents, self.slope = value, parents, None

    def __add__(self, other):
        if isinstance(other, Number):
            return Number(self.value + other.value, (self, 1), (other, 1))
        return Number(self.value + other, (self, 1))

    def __mul__(self, other):
        if isinstance(other, Number):
            return Number(self.value * other.value, (self, other.value), (other, self.value))
        return Number(self.value * other, (self, other))

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + -other

    def __rsub__(self, other):
        return -self + other

    def __rtruediv__(self, one):
        inverse = 1 / self.value
        return Number(inverse, (self, -inverse * inverse)) * one

    def __truediv__(self, other):
        return self * (1 / other)


def value(x):
    return x.value if isinstance(x, Number) else mpf(x)


def own(function: Callable, x):
    with mp.workdps(OWN_DIGITS):
        return +function(value(x))


def each(function: Callable, slope: Callable) -> Callable[[np.ndarray], np.ndarray]:
    """A function of each entry, and its derivative from the entry and the function's value there."""

    def one(x):
        y = own(function, x)
        return Number(y, (x, own(lambda at: slope(at, y), x))) if isinstance(x, Number) else y

    return np.frompyfunc(one, 1, 1)


exp = each(mp.exp, lambda x, y: y)
log = each(mp.log, lambda x, y: 1 / x)
relu = each(lambda x: max(x, mpf(0)), lambda x, y: mpf(x > 0))
tanh = each(mp.tanh, lambda x, y: 1 / mp.cosh(x) ** 2)
softplus = each(lambda x: mp.log1p(mp.exp(x)), lambda x, y: 1 / (1 + mp.exp(-x)))


def inverse_root(x: np.ndarray) -> np.ndarray:
    """1/√x of each entry, with all digits: rows that differ by little shall go on doing so."""

    def one(x):
        y = 1 / mp.sqrt(value(x))
        return Number(y, (x, -y * y * y / 2)) if isinstance(x, Number) else y

    return np.frompyfunc(one, 1, 1)(x)


def slopes(loss: Number, weights: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """∂ loss/∂ weight, as arrays of mpmath's numbers."""
    order, seen, todo = [], set(), [(loss, False)]
    while todo:
        number, done = todo.pop()
        if done:
            order.append(number)
        elif id(number) not in seen:
            seen.add(id(number))
            todo.append((number, True))
            todo += [(parent, False) for parent, _ in number.parents]
    loss.slope = mpf(1)
    for number in reversed(order):
        for parent, slope in number.parents:
            part = number.slope * slope
            parent.slope = part if parent.slope is None else parent.slope + part
    return {name: np.frompyfunc(lambda x: x.slope or mpf(0), 1, 1)(weight) for name, weight in weights.items()}


class Slow:
    """The operations of the tape by other means; `digits` says how many cancel in the softmaxes that ran."""

    def __init__(self):
        self.digits = 0.0

    def softmax(self, logits, mask=None, temperature=1.0):
        logits = logits * (1 / mpf(temperature))
        inside = np.broadcast_to(True if mask is None else mask, logits.shape)
        margin, out = 0.0, np.full(logits.shape, mpf(0), dtype=object)
        for place in np.ndindex(logits.shape[:-1]):
            row = logits[place][inside[place]]
            behind = sorted(float(value(x)) for x in row)
            margin = max([margin, *np.diff(behind[-2:])])
            top = max(value(x) for x in row)  # any constant: it leaves the function as it is
            shares = exp(row - top)
            out[place][inside[place]] = shares * (1 / shares.sum())
        self.digits += margin / np.log(10)
        return out

    def log_softmax(self, logits, mask=None):
        inside = np.broadcast_to(True if mask is None else mask, logits.shape)
        p = self.softmax(logits, mask)
        return np.where(inside, log(np.where(inside, p, mpf(1))), mpf(0))

    def compare(self, queries, keys):
        return queries @ keys.swapaxes(-1, -2)

    def scores(self, tokens, W, queries):
        return queries @ W.T @ tokens.swapaxes(-1, -2)

    def probability(self, p, where):
        return np.where(where, p, mpf(0)).sum(-1)

    def entropy(self, p):
        return -(p * log(p)).sum(-1)

    relu, tanh = (staticmethod(f) for f in (relu, tanh))

    def _row_mean(self, a):
        return a.sum(-1, keepdims=True) * (1 / mpf(a.shape[-1]))

    def rms_norm(self, a, eps=1e-5):
        return a * inverse_root(self._row_mean(a * a) + mpf(eps))

    def layer_norm(self, a, eps=1e-5):
        return self.rms_norm(a - self._row_mean(a), eps)

    def rotated(self, a, positions, base=1e4):
        """The pair (f, f + d/2) as one complex number, times exp(i·angle)."""
        half = a.shape[-1] // 2
        out = np.empty(a.shape, dtype=object)
        for place in np.ndindex(a.shape[:-1]):
            for f in range(half):
                with mp.workdps(OWN_DIGITS):
                    turn = mp.expj(mpf(float(positions[place[-1]])) * mpf(base) ** (-mpf(f) / half))
                x, y = a[(*place, f)], a[(*place, f + half)]
                out[(*place, f)] = x * turn.real - y * turn.imag
                out[(*place, f + half)] = x * turn.imag + y * turn.real
        return out

    def concatenated(self, parts, axis=-1):
        return np.concatenate(parts, axis)

    def reshaped(self, a, *shape):
        return np.reshape(a, shape)

    def mean(self, a):
        return a.sum() * (1 / mpf(a.size))

    def logistic(self, labels, outputs):
        return self.mean(softplus(-(labels * outputs)))

    def squared(self, targets, outputs):
        return self.mean((outputs - targets) * (outputs - targets))

    def cross_entropy(self, targets, logits):
        p = self.softmax(logits)
        return -self.mean(log(np.take_along_axis(p, np.asarray(targets, dtype=int)[..., None], -1)))

    def negative_log(self, u):
        return -self.mean(log(u))

    def weighted(self, loss, logs):
        return loss * own(mp.exp, float(logs))


def _once(model, weights, inputs, digits):
    with mp.workdps(int(digits)):
        ops = Slow()
        made = {name: np.frompyfunc(lambda x: Number(mpf(float(x))), 1, 1)(w) for name, w in weights.items()}
        given = {name: np.frompyfunc(lambda x: mpf(float(x)), 1, 1)(x) for name, x in inputs.items()}
        loss = model(ops, made, given)
        return ops.digits, slopes(loss, made) if isinstance(loss, Number) else None


def slow_gradient(model, weights, inputs, digits=400) -> dict[str, np.ndarray]:
    """The gradient of one instance, to at least `digits` digits.

    Calculated with as many more as its softmaxes lose, known from a first pass with few.
    """
    lost, _ = _once(model, weights, inputs, 2 * OWN_DIGITS)
    return _once(model, weights, inputs, digits + lost)[1]


def relative_error(m: np.ndarray, k: np.ndarray, exact: np.ndarray) -> float:
    """The largest difference of m·2^k and `exact`, relative to the largest entry of `exact`; without underflow."""
    size = max(abs(x) for x in exact.flat)
    if not size:
        return float(np.abs(m).max())
    found = [mpmath.ldexp(mpf(float(a)), int(b)) for a, b in zip(m.flat, np.broadcast_to(k, m.shape).flat, strict=True)]
    return max(float(abs(a - b) / size) for a, b in zip(found, exact.flat, strict=True))
