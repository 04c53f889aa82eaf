"""Answers as VIPR certificates: a linear program in rationals, a solution of it, and the derivation of a bound.

Every refutation has this form, whatever the norm, and so do optima in the norms l1 and linf. `viprchk`, which SCIP's
project publishes (github.com/scipopt/vipr), checks them without this package. The numbers are exact: those of the
problem, W projected on the equalities and scaled by its least margin, the multipliers scaled by their dual norm.
"""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
from flint import fmpq, fmpz, fmpz_mat

from attnsvm.svm import certificate
from attnsvm.svm.rational import Integers, Products
from attnsvm.system.errors import require
from attnsvm.system.writing import replacing

NORMS = ("l1", "linf")  # whose optima are those of linear programs
LARGEST = 2**24  # numbers in a certificate
ONE = fmpq(1)


def export(path: str | os.PathLike, out: str | os.PathLike, problem: str | os.PathLike | None = None) -> str:
    """Write the answer of a file as a VIPR certificate; what it says in one line.

    Args:
        path: an answer, which is verified first, and `problem`, as in `certificate.verify`.
        out: the certificate.

    Raises:
        UserError, ValueError: the answer does not hold, or it is of no linear program; one sentence says why.
    """
    certificate.verify(path, problem)
    given = certificate.load(path)
    status, norm = str(given["status"]), str(given["norm"])
    linear = status == "infeasible" or (status == "solved" and norm in NORMS)
    require(
        linear, f"{path}: {status} in the norm {norm} is no linear program: refutations and optima in l1 and linf are"
    )
    named = Path(path).parent / Path(str(given["problem"])).name if problem is None else Path(problem)
    kept = not (Path(out).exists() and Path(out).samefile(named))
    require(kept, f"{out}: would overwrite the tokens of {path}; choose another place")
    program = Program(*certificate.matrices(certificate.read(named)))
    require(program.size() <= LARGEST, f"{path}: its certificate would hold {program.size():.0e} numbers")
    if status == "infeasible":
        lines, says = program.refutation([fmpz(text) for text in given["farkas"].tolist()]), "no W separates the tokens"
    else:
        W = given["W"] if "W" in given else given["W_left"] @ given["W_right"].T
        lines, low, high = program.optimum(norm, W, given["dual"])
        ends = [certificate.written(int(end.p), int(end.q), 12, up) for end, up in ((low, False), (high, True))]
        says = f"the least norm {norm} is between {' and '.join(ends)}"
    with replacing(out, checksum=False) as temporary, open(temporary, "w", encoding="ascii") as file:
        file.writelines(line + "\n" for line in lines)
    return f"{out}: {says}"


class Program:
    """The linear program of a problem: the entries of W are its first variables, row by row.

    Args:
        matrices, bound, equality: as `certificate.matrices` returns them. Each constraint is written times a power of
            two that makes its coefficients integers.
    """

    def __init__(self, matrices, bound: np.ndarray, equality: np.ndarray):
        self.products, self.bound, self.equality = Products(matrices), bound, equality
        self.shape = matrices[0].shape[1], matrices[1].shape[1]
        self.count = self.shape[0] * self.shape[1]
        self.unit = fmpq(2) ** -self.products.exponent  # of the integers of A_k
        self.bounds = [fmpq(int(b)) * self.unit for b in bound]

    def size(self) -> int:
        return len(self.bound) * self.count

    def refutation(self, weights: list[fmpz]) -> Iterator[str]:
        """The lines of a certificate that the constraints exclude one another, by integers (m,)."""
        promised = sum((weight * bound for weight, bound in zip(weights, self.bounds, strict=True)), fmpq(0))
        yield from self._statement([], "0", [], "RTP infeas")
        yield from ("SOL 0", "DER 1")
        yield f"refuted G {promised} 0 {{ lin {_pairs(dict(enumerate(weights)))} }} -1"

    def optimum(self, norm: str, W: np.ndarray, dual: np.ndarray) -> tuple[Iterator[str], fmpq, fmpq]:
        """The lines of a certificate that the least norm is between two numbers, and these."""
        w, weights = self._feasible(W), [fmpq(int(weight)) for weight in Integers(dual).values]
        rows = np.flatnonzero(dual)
        M = [fmpq(int(x)) for x in self.products.combined(rows, Integers(dual).values[rows]).ravel()]
        sizes, N = [abs(x) for x in M], self.count
        scale = (max(sizes) if norm == "l1" else sum(sizes, fmpq(0))) or ONE  # zero where nothing is asked
        weights, M, sizes = ([x / scale for x in column] for column in (weights, M, sizes))
        # t_a ≥ ±W_a, one t for all entries in the norm linf. The halves of these rows, weighted so that W cancels
        # against Σ λ_k A_k, add up to Σ t_a ≥ Σ λ_k b_k.
        slack = sizes if norm == "linf" and any(sizes) else [ONE] + [ONE * (norm == "l1")] * (N - 1)
        halves = {len(self.bound) + a: (slack[a] + M[a]) / 2 for a in range(N)}
        halves |= {len(self.bound) + N + a: (slack[a] - M[a]) / 2 for a in range(N)}
        extra = [N + a if norm == "l1" else N for a in range(N)]
        more = [f"{name}{a} G 0 2 {a} {sign} {extra[a]} 1" for name, sign in (("p", -1), ("n", 1)) for a in range(N)]
        low = sum((weight * bound for weight, bound in zip(weights, self.bounds, strict=True)), fmpq(0))
        high = sum(map(abs, w), fmpq(0)) if norm == "l1" else max(map(abs, w))
        point = dict(enumerate(w)) | (dict(enumerate(map(abs, w), N)) if norm == "l1" else {N: high})

        def lines():
            objective = _pairs(dict.fromkeys(extra, ONE))
            yield from self._statement(sorted(set(extra)), objective, more, f"RTP range {low} {high}")
            yield from ("SOL 1", f"best {_pairs(point)}", "DER 1")
            yield f"bound G {low} OBJ {{ lin {_pairs(dict(enumerate(weights)) | halves)} }} -1"

        return lines(), low, high

    def _statement(self, extra: list[int], objective: str, more: list[str], claim: str) -> Iterator[str]:
        """Variables, objective, constraints (those of the problem, then `more`), and what is to be proved."""
        d, e = self.shape
        names = [f"W_{a}_{b}" for a in range(d) for b in range(e)] + [f"t_{a}" for a in range(len(extra))]
        yield from ("VER 1.1", f"VAR {len(names)}", " ".join(names), "INT 0", "OBJ min", objective)
        yield f"CON {len(self.bound) + len(more)} 0"
        for k, (left, query) in enumerate(zip(self.products.left, self.products.query, strict=True)):
            row = np.outer(left, self.products.queries[query]).ravel()
            sense = "E" if self.equality[k] else "G"
            yield f"A{k} {sense} {self.bounds[k]} {_pairs({a: fmpz(int(x)) for a, x in enumerate(row) if x})}"
        yield from more
        yield claim

    def _feasible(self, W: np.ndarray) -> list[fmpq]:
        """W projected on the equalities and scaled so that its least margin is one, exactly."""
        whole, rows = Integers(W), np.flatnonzero(self.equality)
        w, scale = whole.values.astype(object), 1
        if len(rows):
            left, right = self.products.left[rows], self.products.queries[self.products.query[rows]]
            reached = self._reached(w)[rows]
            system = np.concatenate([(left @ left.T) * (right @ right.T), -reached[:, None]], axis=1)
            solved, below, rank = fmpz_mat(system.tolist()).rref()
            reduced, scale = [[int(x) for x in row] for row in solved.tolist()[: int(rank)]], int(below)
            pivots = [next(column for column, x in enumerate(row) if x) for row in reduced]
            weights = np.array([row[-1] for row in reduced], dtype=object)
            w = scale * w + self.products.combined(rows[pivots], weights)
        reached, sign = self._reached(w)[~self.equality], 1 if scale > 0 else -1
        least = min((sign * x for x in reached), default=0)
        require(least > 0 or not w.any(), "W does not separate the tokens")
        return [fmpq(int(sign * x)) * self.unit / int(least or 1) for x in w.ravel()]

    def _reached(self, w: np.ndarray) -> np.ndarray:
        """⟨A_k, w⟩ for integers w (d, e), in integers."""
        return (self.products.left * (self.products.queries @ w.T)[self.products.query]).sum(1)


def _pairs(numbers: Mapping) -> str:
    """How many numbers other than zero there are, and each after its place."""
    kept = [f"{place} {number}" for place, number in numbers.items() if number]
    return " ".join([str(len(kept)), *kept])
