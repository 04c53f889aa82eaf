"""python judge.py answer.npz [problem.npz]: what an answer file (format 2) proves, in exact numbers. docs/svm.md"""

import ast
import hashlib
import math
import re
import struct
import sys
import zipfile
from decimal import Decimal, localcontext
from fractions import Fraction
from importlib import import_module, util
from operator import mul
from pathlib import Path

flint = import_module("flint") if util.find_spec("flint") else None  # eliminates faster, to the same integers
CODES = dict(zip(["f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1"], "efdbhiqBHIQ?", strict=True))
DUAL = {"nuc": "spectral", "l1": "linf", "rowmax": "rowsum"}
DUAL |= {dual: norm for norm, dual in DUAL.items()} | {"fro": "fro", "hybrid": "hybrid dual"}
LOOSEST = 10**7  # one over the largest tolerance


def require(holds, reason):
    if not holds:
        raise ValueError(reason)


def arrays(path, names):  # {name: (kind, shape, values in C order)}; nothing is unpickled, zipfile compares checksums
    found = {}
    with zipfile.ZipFile(path) as archive:
        held = {member.filename.removesuffix(".npy"): member for member in archive.infolist()}
        for name in held.keys() & {*names.split()}:
            data = archive.read(held[name]) if held[name].file_size < 2**25 else b"too large"
            end = (begin := 10 if data[6] == 1 else 12) + int.from_bytes(data[8:begin], "little")
            fits = len(held) == len(archive.infolist()) and data[:6] == b"\x93NUMPY" and end < 10_000
            require(fits, f"{name!r} is no array, or too large, or a name stands twice beside it")
            header = ast.literal_eval(data[begin:end].decode())
            shape, dtype = header["shape"], re.fullmatch("[<|]([fiubU])([0-9]{1,6})", header["descr"])
            kind, count, fortran = dtype and dtype[1], math.prod(shape), header["fortran_order"]
            require(dtype and count <= len(data) and (len(shape) < 3 or not fortran), f"{name!r} is of type {header}")
            code = "<" + (f"{4 * int(dtype[2])}s" * count if kind == "U" else f"{count}{CODES[kind + dtype[2]]}")
            values = [x.decode("utf-32-le").rstrip("\0") if kind == "U" else x for x in struct.unpack(code, data[end:])]
            rows = shape[0] if fortran and len(shape) > 1 else 1
            found[name] = kind, shape, [x for i in range(rows) for x in values[i::rows]]
    return found


def integers(values, width):  # finite floats as rows of integers, to be multiplied by 2**-shift, and this shift
    scale = max((value.as_integer_ratio()[1] for value in values), default=1)
    whole = [scale // below * above for above, below in (value.as_integer_ratio() for value in values)]
    return [whole[start : start + width] for start in range(0, len(whole), width)], scale.bit_length() - 1


def dot(a, b):
    return sum(map(mul, a, b))


def root(x):  # from above, within 2**-127
    return Fraction(math.isqrt((x.numerator * x.denominator) << 256) + 1, x.denominator << 128)


class Problem:  # ⟨A_k, W⟩ ≥ 1, or = 0 where bound[k] is 0, for A_k = 2**-shift left[k] z_kᵀ, z_k = Z[of[k]]
    def __init__(self, path):
        given = arrays(path, "tokens queries lengths selected")
        (kind, (n, T, d), tokens), (kind_z, (n_z, e), queries) = given["tokens"], given["queries"]
        (kind_m, at, counts), (kind_s, shape, chosen) = given.get("lengths", ("i", (n,), [T] * n)), given["selected"]
        sets = kind_s == "b" and shape == (n, T)
        require("U" not in kind + kind_z and n == n_z > 0 and d * e < 2**22, "tokens or queries are wrong, or too many")
        require(kind_m in "iu" and at == (n,) and 0 < min(counts) <= max(counts) <= T, "lengths are wrong")
        require(sets or (kind_s in "iu" and shape == (n,)), "selected are neither token numbers nor sets")
        flat = [x for i, m in enumerate(counts) for x in tokens[i * T * d : (i * T + m) * d]]
        (X, a), (self.Z, b) = integers(flat, d), integers(queries, e)
        self.shape, self.shift, self.left, self.of, self.bound, self.hash = (d, e), a + b, [], [], [], hashlib.sha256()
        for i, m in enumerate(counts):
            start, mine = len(self.of) + i, [t for t in range(m) if chosen[i * T + t]] if sets else [chosen[i]]
            require(mine and 0 <= mine[0] < m, f"selected names no token of input {i}")
            numbers = flat[start * d : (start + m) * d] + queries[i * e : (i + 1) * e]
            self.hash.update(struct.pack(f"<qq{m * d + e}d{len(mine) + 1}q", m, d, *numbers, len(mine), *mine))
            rows, others = X[start : start + m], [t for t in range(m) if t != mine[0]]
            self.left += [[a - b for a, b in zip(rows[mine[0]], rows[t], strict=True)] for t in others]
            self.bound += [int(t not in mine) for t in others]
            self.of += [i] * (m - 1)

    def gram(self, k, j):
        return dot(self.left[k], self.left[j]) * dot(self.Z[self.of[k]], self.Z[self.of[j]])

    def products(self, W):  # ⟨A_k, W⟩ 2**shift for every k
        along = [[dot(row, z) for row in W] for z in self.Z]
        return [dot(row, along[i]) for row, i in zip(self.left, self.of, strict=True)]

    def combination(self, weights):  # Σ_k weights[k] A_k 2**shift
        sums, columns = [[0] * self.shape[0] for _ in self.Z], list(zip(*self.Z, strict=True))
        for weight, row, i in ((weight, self.left[k], self.of[k]) for k, weight in weights.items() if weight):
            sums[i] = [x + weight * y for x, y in zip(sums[i], row, strict=True)]
        return [[dot(row, column) for column in columns] for row in zip(*sums, strict=True)]

    def nearest(self, W, one, held):  # a multiple of the V nearest to W with ⟨A_k, V⟩ = bound_k one for k in `held`
        reached, last, end, x = self.products(W), 1, len(held), {}
        M = [[self.gram(k, j) for j in held] + [self.bound[k] * one - reached[k]] for k in held]
        if flint and held:
            M, last, _ = flint.fmpz_mat(M).rref()
            x = {next(c for c, y in enumerate(row) if y): row[end] for row in M.tolist() if any(row[:end])}
        for c, top in enumerate([] if flint else M):  # Bareiss's: where the diagonal of a Gram matrix is 0, its row is
            for j in range(c + 1, end if top[c] else 0):
                M[j][j:] = [(top[c] * a - top[j] * b) // last for a, b in zip(M[j][j:], top[j:], strict=True)]
            last = top[c] or last
        for c in (c for c in reversed(range(0 if flint else end)) if M[c][c]):
            x[c] = (last * M[c][end] - sum(M[c][b] * x[b] for b in x)) // M[c][c]
        change = self.combination({held[c]: int(y) if last > 0 else -int(y) for c, y in x.items()})
        return [[abs(int(last)) * a + b for a, b in zip(*rows, strict=True)] for rows in zip(W, change, strict=True)]


def upper(norm, A):  # a rational upper bound of the norm of a table of integers; l<p> is named by p, a fraction
    flat, size = [abs(x) for row in A for x in row], range(min(len(A), len(A[0])))
    top, whole = max(flat), sum if norm in ("l1", "rowsum", "nuc", "hybrid dual") else max
    if norm in ("hybrid", "hybrid dual"):  # of all columns but the last, and of the last
        names = ("spectral", "linf") if whole is max else ("nuc", "l1")
        return whole(map(upper, names, zip(*[(row[:-1] or [0], row[-1:]) for row in A], strict=True)))
    if top == 0 or norm in ("l1", "linf"):
        return Fraction(whole(flat))
    if norm in ("fro", "rowmax", "rowsum"):
        return whole(root(dot(row, row)) for row in ([flat] if norm == "fro" else A))
    if norm not in DUAL:
        with localcontext(prec=70):  # whose ln and exp are correctly rounded: 1e-50 covers all that is lost
            p, one = Decimal(norm.numerator) / norm.denominator, 10**60
            logs = [(Decimal(-(-x * one // top)) / one).ln() for x in flat if x]
            return top * Fraction((sum((p * log).exp() for log in logs).ln() / p).exp()) * (1 + Fraction(1, 10**50))
    # Rotations V from a floating Jacobi method make the rows of C = V A orthogonal. Whatever they are, with exact C:
    # ‖A‖ ≤ ‖C‖ / √(1 − ‖VVᵀ − I‖_F), ‖C‖_* ≤ Σ_i ‖C_i‖, ‖C‖₂² = ‖CCᵀ‖₂ ≤ max_i Σ_j |C_i C_j|.
    A, columns = sorted((A, list(zip(*A, strict=True))), key=len)
    C, V = [[x / top for x in row] for row in A], [[float(i == j) for j in size] for i in size]
    for i, j in [(row, other) for other in size for row in range(other)] * 12:  # twelve sweeps; three to eight do
        a, b, ab = dot(C[i], C[i]), dot(C[j], C[j]), dot(C[i], C[j])
        if abs(ab) > 1e-14 * math.sqrt(a * b) + 1e-30:
            c, s = math.cos(math.atan2(2 * ab, a - b) / 2), math.sin(math.atan2(2 * ab, a - b) / 2)
            for X in (C, V):
                both = list(zip(X[i], X[j], strict=True))
                X[i], X[j] = [c * x + s * y for x, y in both], [c * y - s * x for x, y in both]
    V = [[int(x * 2**60) for x in row] for row in V]
    C = [[dot(row, column) for column in columns] for row in V]
    defect = root(sum((dot(V[i], V[j]) - (i == j) * 2**120) ** 2 for i in size for j in size)) / 2**120
    squares = [dot(a, a) if norm == "nuc" else sum(abs(dot(a, b)) for b in C) for a in C]
    return whole(map(root, squares)) / 2**60 * root(1 / (1 - defect))


def judge(path, problem=None):  # what the answer proves, in words; an error says why it is not proved
    given = arrays(path, names := "format status norm tol problem problem_sha256 dual farkas W W_left W_right")
    form, status, norm, tol, file, digest = (given[k][2][0] for k in names.split()[:6] if given[k][1] == ())
    require(form == 2 and status in ("solved", "infeasible", "remote"), f"format {form!r}, status {status!r}")
    p = Fraction(norm[1:]) if re.fullmatch("l[0-9]{1,3}([.][0-9]{1,30})?", norm) else 0
    require(norm in DUAL or Fraction(101, 100) <= p <= 100, f"there is no norm {norm!r}")
    measure, dual = (norm, DUAL[norm]) if norm in DUAL else (p, p / (p - 1))
    require(tol > 0 and Fraction(tol) * LOOSEST <= 1, f"its tolerance is {tol!r}")
    problem, refuted = Problem(problem or Path(path).parent / Path(file).name), status == "infeasible"
    require(problem.hash.hexdigest() == digest, "it was made for other tokens")
    require(not {"W", "W_left"} <= given.keys(), "it holds W and factors, and only one of both can be judged")
    bound, (kind, shape, y) = problem.bound, given["farkas" if refuted else "dual"]
    require(kind == "fU"[refuted] and shape == (len(bound),), "its multipliers are no list of one for each constraint")
    y = list(map(int, y)) if refuted else [x for (x,) in integers(y, 1)[0]]
    require(all(x >= 0 for x, b in zip(y, bound, strict=True) if b), "a multiplier of an inequality is negative")
    M, promised, trivial = problem.combination(dict(enumerate(y))), dot(y, bound), status == "solved" and not any(bound)
    require(promised > 0 or trivial, "its multipliers promise nothing")
    require(trivial or any(map(any, M)) != refuted, "its multipliers give zero, or its Farkas vector does not")
    if refuted:
        return "infeasible: no W separates the selected tokens: an exact Farkas vector"
    low = Fraction(0) if trivial else promised * 2**problem.shift / upper(dual, M)
    if status == "remote":
        return f"remote: no W of {norm} norm below {math.nextafter(float(low), 0)} separates the selected tokens"
    parts = [given[name] for name in (("W_left", "W_right") if "W_left" in given else ("W",))]
    require(all(kind == "f" and s[1:] == parts[0][1][1:] for kind, s, _ in parts), "its W or factors are no matrices")
    tables, shifts = zip(*(integers(values, shape[1]) for _, shape, values in parts), strict=True)
    W = tables[0] if len(tables) == 1 else [[dot(a, b) for b in tables[1]] for a in tables[0]]
    require((len(W), len(W[0])) == problem.shape, f"its W is not of shape {problem.shape}")
    one, reached, own = 1 << sum(shifts) + problem.shift, problem.products(W), sum(dot(row, row) for row in W)
    sizes = [math.isqrt(problem.gram(k, k) * own) for k in range(len(bound))]  # ‖A_k‖‖W‖, in units of one
    for k, (x, b, s) in enumerate(zip(reached, bound, sizes, strict=True)):
        require(one - x <= one >> 20 if b else abs(x) <= s // 10**9, f"W does not meet constraint {k}")
    equal, high, gap = [k for k, b in enumerate(bound) if not b], Fraction(0), int(own > 0)  # W = 0: nothing is asked
    heavy = [b * x * x * problem.gram(k, k) for k, (x, b) in enumerate(zip(y, bound, strict=True))]
    tight = [k for k, weight in enumerate(heavy) if weight * 10**12 > max(heavy)]
    for held in (tries := [[], tight, [k for k, b in enumerate(bound) if b and reached[k] < one]]):
        now = problem.products(V) if (V := gap > tol and problem.nearest(W, one, equal + held)) else [0] * len(bound)
        least = min((x for x, b in zip(now, bound, strict=True) if b), default=0)
        if least > 0 and not any(now[k] for k in equal):
            gap = 1 - low / (high := upper(measure, V) * 2**problem.shift / least)
        tries += [held + [k for k, b in enumerate(held and bound) if b and now[k] < now[held[0]]]][len(tries) // 9 :]
    require(gap <= tol, f"its bounds are {float(gap):.1e} apart, relative to the upper one, more than {tol}")
    require(upper(measure, W) * 2**20 <= high * (2**20 + 1) * 2 ** sum(shifts), "its W is larger than what it proves")
    low, high = math.nextafter(float(low), 0), math.nextafter(float(high), math.inf)
    return f"solved: the least {norm} norm is from {low} to {high}, relative distance {float(gap):.1e} <= {tol}"


if __name__ == "__main__":
    name = sys.set_int_max_str_digits(200_000) or repr(" ".join(sys.argv[1:2]))[1:-1]  # one line, whatever is in it
    try:
        print(__doc__ if sys.argv[1:2] in (["-h"], ["--help"]) else f"{name}: {judge(*sys.argv[1:])}")
    except Exception as error:  # whatever a broken file raises, it proves nothing
        reason = error if type(error) is ValueError else f"it or its problem is no such file ({error!r})"
        sys.exit(print(f"{name}: not proved: {reason}") or 1)
