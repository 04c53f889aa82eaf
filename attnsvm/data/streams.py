"""The random numbers of PyTorch's CPU generator, bit for bit, without importing PyTorch: that alone takes a second.

The official notebooks draw with `torch.Generator`: a Mersenne twister, 24 of whose bits make a float32 in [0, 1), and
the Box–Muller transform for normal numbers. Fewer than 16 numbers are transformed by the C library in double precision.
More numbers are transformed in float32, 16 at a time, by the polynomials of the Cephes library with fused
multiply-adds, as PyTorch does it on processors with AVX2. Here the twister is NumPy's, and the rest is made of NumPy's
elementary operations, each correctly rounded, and so the same on every processor. tests/data/test_streams.py compares
with PyTorch.
"""

import math

import numpy as np

HALF_TURN_PARTS = -0.78515625, -2.4187564849853515625e-4, -3.77489497744594108e-8  # −π/4 in three parts
LOG = (
    *(7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1),
    *(-1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1),
)
SIN = -1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1
COS = 2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2
LN2_LOW, LN2_HIGH = np.float32(-2.12194440e-4), np.float32(0.693359375)
BLOCK = 16


class Streams:
    """One generator per seed; every draw gives all of them the same number of values, as arrays (S, ...) of float32."""

    def __init__(self, seeds: np.ndarray):
        # NumPy's twister has the words of PyTorch's, which takes the low 32 bits of the seed.
        self.size, self.twisters = len(seeds), [np.random.RandomState(int(seed) & 0xFFFFFFFF) for seed in seeds]
        self.left: list[float] | None = None  # normal numbers come in pairs: (S,) the second ones, until asked for

    def uniform(self, *shape: int) -> np.ndarray:
        """U[0, 1), as `torch.rand`."""
        return self._uniform(math.prod(shape)).reshape(self.size, *shape)

    def normal(self, *shape: int) -> np.ndarray:
        """N(0, 1), as `torch.randn`."""
        count = math.prod(shape)
        drawn = self._few(count) if count < BLOCK else self._many(count)
        return drawn.reshape(self.size, *shape)

    def _words(self, count):
        """The next numbers of 32 bits, (S, count)."""
        drawn = [twister.randint(0, 2**32, count, np.uint32) for twister in self.twisters]
        return np.array(drawn, np.uint32).reshape(self.size, count)

    def _uniform(self, count):
        return (self._words(count) & np.uint32(0xFFFFFF)).astype(np.float32) * np.float32(2**-24)

    def _many(self, count):
        drawn, whole = self._uniform(count), count - count % BLOCK
        drawn[:, :whole] = _box_muller(drawn[:, :whole])
        if whole < count:  # the last 16 numbers are drawn anew
            drawn[:, -BLOCK:] = _box_muller(self._uniform(BLOCK))
        return drawn

    def _few(self, count):
        columns = []
        for _ in range(count):
            if self.left is None:
                high, low = np.moveaxis(self._words(4).T.astype(np.uint64).reshape(2, 2, -1), 1, 0)
                turn, u = (((high << np.uint64(32) | low) & np.uint64(2**53 - 1)) * 2.0**-53).tolist()
                radius = [math.sqrt(-2 * math.log1p(-x)) for x in u]
                columns.append([r * math.cos(2 * math.pi * x) for r, x in zip(radius, turn, strict=True)])
                self.left = [r * math.sin(2 * math.pi * x) for r, x in zip(radius, turn, strict=True)]
            else:
                columns.append(self.left)
                self.left = None
        return np.ascontiguousarray(np.array(columns, dtype=np.float32).reshape(count, self.size).T)


def length(x: np.ndarray) -> np.ndarray:
    """Euclidean norm along the last axis of float32 numbers, (..., 1), with the sums in the order of `torch.norm`."""
    d, lanes = x.shape[-1], 8
    whole = d - d % lanes
    squares = x[..., :whole].reshape(*x.shape[:-1], whole // lanes, lanes) ** 2
    sums = np.zeros((*x.shape[:-1], lanes), np.float32)
    for k in range(squares.shape[-2]):
        sums += squares[..., k, :]
    total = sums[..., 0].copy()
    for lane in range(1, lanes):
        total += sums[..., lane]
    fused = whole + (d - whole) // 4 * 4
    for k in range(whole, d):
        total = total + x[..., k] ** 2 if k < fused else _multiply_add(x[..., k], x[..., k], total)
    return np.sqrt(total)[..., None]


def _box_muller(u):
    """Normal numbers (S, count) from uniform ones: in each block of 16, the first 8 give radii, the others angles."""
    first, second = np.moveaxis(u.reshape(len(u), u.shape[1] // BLOCK, 2, BLOCK // 2), 2, 0)
    radius = np.sqrt(np.float32(-2) * _log(1 - first))
    sine, cosine = _sine_and_cosine(np.float32(2 * np.pi) * second)
    return np.stack([radius * cosine, radius * sine], axis=2).reshape(u.shape)


def _multiply_add(a, b, c):
    """a·b + c of float32 numbers, rounded once.

    The product is exact in double precision, the sum there is not. It decides wrongly only where it lies on the middle
    of two float32: then it is moved to where the exact sum lies.
    """
    product = np.multiply(a, b, dtype=np.float64)
    total = np.asarray(product + c)
    middle = np.flatnonzero(total.view(np.int64) & 0x1FFFFFFF == 0x10000000)
    if len(middle):
        sums, products, added = total.reshape(-1), product.reshape(-1)[middle], np.broadcast_to(c, total.shape)
        added = added.reshape(-1)[middle].astype(np.float64)
        part = sums[middle] - products
        error = (products - (sums[middle] - part)) + (added - part)
        sums[middle] = np.where(error == 0, sums[middle], np.nextafter(sums[middle], np.copysign(np.inf, error)))
    return total.astype(np.float32)


def _polynomial(coefficients, x):
    value = np.full_like(x, coefficients[0])
    for coefficient in coefficients[1:]:
        value = _multiply_add(value, x, np.float32(coefficient))
    return value


def _log(x):
    """ln x for float32 x > 0: x = m·2^e with m from √½ to √2."""
    bits = x.view(np.int32)
    m = ((bits & 0x007FFFFF) | 0x3F000000).view(np.float32)
    small = m < np.float32(math.sqrt(0.5))
    e = ((bits >> 23) - 126 - small).astype(np.float32)
    y = np.where(small, (m - 1) + m, m - 1)
    square = y * y
    rest = _multiply_add(_polynomial(LOG, y) * y, square, e * LN2_LOW) - square * np.float32(0.5)
    return (y + rest) + e * LN2_HIGH


def _sine_and_cosine(x):
    """sin x and cos x for float32 x from 0 to 2π: x less an even number of eighths of a turn."""
    even = ((x * np.float32(4 / np.pi)).astype(np.int32) + 1) & ~1
    for part in HALF_TURN_PARTS:
        x = _multiply_add(even.astype(np.float32), np.float32(part), x)
    square = x * x
    cosine = _multiply_add(_polynomial(COS, square) * square, square, square * np.float32(-0.5)) + 1
    sine = _multiply_add(_polynomial(SIN, square) * square, x, x)
    straight = even & 2 == 0
    sine_sign = np.where(even & 4, np.float32(-1), np.float32(1))
    cosine_sign = np.where((even - 2) & 4, np.float32(1), np.float32(-1))
    return sine_sign * np.where(straight, sine, cosine), cosine_sign * np.where(straight, cosine, sine)
