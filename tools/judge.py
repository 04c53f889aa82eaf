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
TYPE = re.compile(r"[<>](?:[fiu][248]|U[1-9][0-9]{0,5})|[|][iub]1")
FILE = dict.fromkeys(("status", "norm", "problem", "problem_sha256", "method", "farkas"), "U[0-9]+")
FILE |= {"format": "[iu].", "tol": "f.", "dual": "f8", "W": "f8", "W_left": "f8", "W_right": "f8"}
MOST = 2**22  # numbers and words of a file, and entries of W
DUAL = {"nuc": "spectral", "l1": "linf", "rowmax": "rowsum"}
DUAL |= {dual: norm for norm, dual in DUAL.items()} | {"fro": "fro", "hybrid": "hybrid dual"}
LOOSEST = 10**7  # one over the largest tolerance


def require(holds, reason):
    if not holds:
        raise ValueError(reason)


def arrays(path, names=None):  # {name: (type, shape, values in C order)}; nothing is unpickled
    found, left = {}, MOST
    with open(path, "rb") as file, zipfile.ZipFile(file) as archive:
        require(file.seek(0) == 0 and file.read(4) == b"PK\3\4", "something stands before its archive")
        held = {member.filename.removesuffix(".npy"): member for member in archive.infolist()}
        require(len(held) == len(archive.infolist()), "two of its arrays have one name")
        for name, member in ((name, member) for name, member in held.items() if names is None or name in names):
            small, packed = member.file_size < 2**28, member.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
            require(small and packed, f"{name!r} is too large, or packed in another way than by NumPy")
            data = archive.read(member)  # and compares its checksum
            end = 10 + int.from_bytes(data[8:10], "little")
            require(data[:8] == b"\x93NUMPY\1\0" and end <= min(len(data), 10_000), f"{name!r} is no array")
            header = ast.literal_eval(data[10:end].decode("ascii"))
            descr, shape, fortran = header.pop("descr"), header.pop("shape"), header.pop("fortran_order")
            right = type(shape) is tuple and all(type(x) is int and x >= 0 for x in shape) and type(fortran) is bool
            require(right and not header and TYPE.fullmatch(descr), f"{name!r} has another header than NumPy writes")
            order, kind, size, count = descr[0], descr[1:], int(descr[2:]), math.prod(shape)
            words, left = kind[0] == "U", left - count
            require(count * size * (4 if words else 1) == len(data) - end and left >= 0, f"{name!r} is of another size")
            code = order.replace("|", "<") + (f"{4 * size}s" * count if words else f"{count}{CODES[kind]}")
            values, coding = struct.unpack(code, data[end:]), "utf-32-be" if order == ">" else "utf-32-le"
            values = [x.decode(coding).rstrip("\0") for x in values] if words else [*values]
            found[name] = kind, shape, in_c_order(values, shape) if fortran else values
    return found


def in_c_order(values, shape):  # of Fortran's, where the first axis is the fastest
    rows = shape[0] if len(shape) > 1 else 0
    return [x for i in range(rows) for x in in_c_order(values[i::rows], shape[1:])] if rows else values


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
        given = arrays(path, ("tokens", "queries", "lengths", "selected"))
        (kind, (n, T, d), tokens), (kind_z, (n_z, e), queries) = given["tokens"], given["queries"]
        (kind_m, at, counts), (kind_s, shape, chosen) = given.get("lengths", ("i8", (n,), [T] * n)), given["selected"]
        sets = kind_s == "b1" and shape == (n, T)
        require("U" not in kind + kind_z and n == n_z > 0 and d * e < MOST, "tokens or queries are wrong, or too many")
        require(kind_m[0] in "iu" and at == (n,) and 0 < min(counts) <= max(counts) <= T, "lengths are wrong")
        require(sets or (kind_s[0] in "iu" and shape == (n,)), "selected are neither token numbers nor sets")
        flat = [x for i, m in enumerate(counts) for x in tokens[i * T * d : (i * T + m) * d]]
        for of, whole, used in ((kind, tokens, flat), (kind_z, queries, queries)):
            held, largest = of[0] in "fb" or max(map(abs, whole)) <= 2**53, max(map(abs, used))
            ordinary = largest == 0 or 10**-50 <= largest <= 10**50
            require(held and ordinary, "a number of its problem is none of float64, or not of size 1e-50 to 1e50")
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

    def nearest(self, W, one, held):  # a multiple of (one, the nearest V with ⟨A_k, V⟩ = bound_k one for k in `held`)
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
        last = abs(int(last))
        far = sum(dot(row, row) for row in change) << 40 > last**2 * sum(dot(row, row) for row in W)  # above 2**-20
        V = [[last * a + b for a, b in zip(*rows, strict=True)] for rows in zip(W, change, strict=True)]
        return None if far else (last * one, V)


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
    require(len(A) ** 2 * len(columns) < 2**27, "its singular values would take more than minutes")
    C, V = [[x / top for x in row] for row in A], [[float(i == j) for j in size] for i in size]
    pairs, still = [(row, other) for other in size for row in range(other)], 0
    for i, j in pairs * 12:  # twelve sweeps at most; three to eight do
        a, b, ab = dot(C[i], C[i]), dot(C[j], C[j]), dot(C[i], C[j])
        still += 1
        if still > len(pairs):  # none of them turns any more
            break
        if abs(ab) > 1e-14 * math.sqrt(a * b) + 1e-30:
            still = 0
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
    given, names = arrays(path), "format status norm tol problem problem_sha256 method"
    right = all(re.fullmatch(FILE.get(k, ""), kind) for k, (kind, *_) in given.items())
    require(right, "an array has no place in an answer, or is of another type than in one")
    form, status, norm, tol, file, digest, _ = (given[k][2][0] for k in names.split() if given[k][1] == ())
    require(form == 2 and status in ("solved", "infeasible", "remote"), f"format {form!r}, status {status!r}")
    refuted, held = status == "infeasible", ["W_left", "W_right"] if "W_left" in given else ["W"]
    used = {*names.split(), "dual", *held, *["farkas"][: int(refuted)]}
    require(used <= given.keys() <= used | {"farkas"}, f"its arrays are not {sorted(used)}")
    p = Fraction(norm[1:]) if re.fullmatch("l[0-9]{1,3}([.][0-9]{1,30})?", norm) else 0
    require(norm in DUAL or Fraction(101, 100) <= p <= 100, f"there is no norm {norm!r}")
    measure, dual = (norm, DUAL[norm]) if norm in DUAL else (p, p / (p - 1))
    require(tol > 0 and Fraction(tol) * LOOSEST <= 1, f"its tolerance is {tol!r}")
    problem = Problem(problem or Path(path).parent / Path(file).name)
    require(problem.hash.hexdigest() == digest, "it was made for other tokens")
    bound, (d, e), shapes = problem.bound, problem.shape, [given[name][1] for name in held]
    require(len(held) == 1 or norm in ("fro", "nuc", "spectral"), f"the norm {norm} is not known from factors")
    r = shapes[-1][-1:] if len(held) == 2 else ()
    require(shapes == ([(d, *r), (e, *r)] if r else [(d, e)]) and 0 not in r, f"its W is not of shape {(d, e)}")
    lists, y = given.keys() & {"dual", "farkas"}, given["farkas" if refuted else "dual"][2]
    require(all(given[k][1] == (len(bound),) for k in lists), "its multipliers are no list of one for each constraint")
    require(not refuted or all(re.fullmatch("-?[0-9]{1,200000}", x) for x in y), "its Farkas vector is not of integers")
    y = list(map(int, y)) if refuted else [x for (x,) in integers(y, 1)[0]]
    require(all(x >= 0 for x, b in zip(y, bound, strict=True) if b), "a multiplier of an inequality is negative")
    M, promised, trivial = problem.combination(dict(enumerate(y))), dot(y, bound), status == "solved" and not any(bound)
    require(promised > 0 or trivial, "its multipliers promise nothing")
    nothing = not any(map(any, M))
    fits = trivial or (status != "solved" if nothing else not refuted)  # zero: a Farkas vector, however it is called
    require(fits, "its multipliers give zero, or its Farkas vector does not")
    if nothing and not trivial:
        return "infeasible: no W separates the selected tokens: an exact Farkas vector"
    low = Fraction(0) if trivial else promised * 2**problem.shift / upper(dual, M)
    if status == "remote":
        return f"remote: no W of {norm} norm below {math.nextafter(float(low), 0)} separates the selected tokens"
    tables, shifts = zip(*(integers(given[name][2], given[name][1][1]) for name in held), strict=True)
    W = tables[0] if len(tables) == 1 else [[dot(a, b) for b in tables[1]] for a in tables[0]]
    one, reached, own = 1 << sum(shifts) + problem.shift, problem.products(W), sum(dot(row, row) for row in W)
    sizes = [math.isqrt(problem.gram(k, k) * own) for k in range(len(bound))]  # ‖A_k‖‖W‖, in units of one
    for k, (x, b, s) in enumerate(zip(reached, bound, sizes, strict=True)):
        require(one - x <= one >> 20 if b else abs(x) <= s // 10**9, f"W does not meet constraint {k}")
    equal, high, gap = [k for k, b in enumerate(bound) if not b], Fraction(0), int(own > 0)  # W = 0: nothing is asked
    heavy = [b * x * x * problem.gram(k, k) for k, (x, b) in enumerate(zip(y, bound, strict=True))]
    least = max(heavy, default=0) // 10**12
    tight = [k for k, weight in enumerate(heavy) if weight > least]
    for held in (tries := [[], tight, [k for k, b in enumerate(bound) if b and reached[k] < one]]):
        unit, V = (gap > tol and problem.nearest(W, one, equal + held)) or (one, None)
        now = problem.products(V) if V else [0] * len(bound)
        least = min((x for x, b in zip(now, bound, strict=True) if b), default=0)
        if (unit - least) << 20 <= least and not any(now[k] for k in equal):
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
