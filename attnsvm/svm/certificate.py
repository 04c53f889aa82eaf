"""A problem in a file, and its answer in another file; anybody can check the answer from these two files alone.

The check builds the constraint matrices again and asks `checker`; it uses no solver. `tools/judge.py` decides the same
without this package.
"""

import hashlib
import math
import os
import re
from collections.abc import Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from attnsvm.svm.arguments import finite_array
from attnsvm.svm.checker import check, known
from attnsvm.svm.rational import digits, integer, refutation, refuting
from attnsvm.svm.solution import Solution
from attnsvm.svm.verdict import LOOSEST
from attnsvm.system.errors import UserError, require
from attnsvm.system.npz import Arrays, starts_as_archive
from attnsvm.system.untrusted import start
from attnsvm.system.writing import replacing

FORMAT = 2
INTEGER = re.compile("-?[0-9]{1,200000}")
CLAIMED = ("status", "norm", "tol", "dual", "method", "format", "problem_sha256", "problem")
PROVED = ("solved", "infeasible", "remote")
TELLING = ("status", "dual", "problem_sha256")  # by two of which an answer is known, of whatever format
ZEROS = 2**12  # bytes at the beginning of a file
FACTORS = ("W_left", "W_right")  # in the place of W where it is wide
EXACT = 2**53  # integers up to it are float64 numbers
DIGITS = 2**30, 2**42  # of the integers of a file, times the rows of W, and times all of its entries: a minute


def load(path: str | os.PathLike) -> Arrays:
    """The arrays of an .npz file by name, read when they are asked for; a UserError if the file is not one."""
    return Arrays(path)


def tokens_of(path: str | os.PathLike, arrays: Mapping[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Tokens (n, T, d), and lengths (n,): the first lengths[i] tokens of input i count.

    The others are padding, whatever numbers are there; here they are zero.
    """
    require("tokens" in arrays, f"{path}: the array tokens is missing, (n, T, d)")
    tokens = _held(path, "tokens", arrays["tokens"])
    if "lengths" not in arrays or tokens.ndim != 3:
        tokens = finite_array(f"{path}: tokens", tokens, (None, None, None), "(n, T, d)")
        return tokens, np.full(len(tokens), tokens.shape[1])
    n, T, _ = tokens.shape
    lengths = arrays["lengths"]
    right = lengths.dtype.kind in "iu" and lengths.shape == (n,) and bool(((lengths >= 1) & (lengths <= T)).all())
    require(right, f"{path}: lengths: expected {n} integers from 1 to {T}, one per input")
    tokens[np.arange(T) >= lengths[:, None]] = 0
    return finite_array(f"{path}: tokens", tokens, (None, None, None), "(n, T, d)"), lengths.astype(int)


def _held(path, name: str, array: np.ndarray) -> np.ndarray:
    """The array, where its numbers are float64 numbers: what is proved is proved of the numbers in the file."""
    large = array.dtype.kind in "iu" and array.size and max(int(array.max()), -int(array.min())) > EXACT
    require(not large, f"{path}: {name}: {array.dtype} holds numbers that float64 does not: round them first")
    return array


def read(path: str | os.PathLike) -> list[tuple]:
    """The inputs (X_i, z_i, α_i) of a problem file, checked.

    Its arrays: tokens (n, T, d), queries (n, e), selected (n,) int or (n, T) bool, and lengths (n,) int if some inputs
    have fewer than T tokens.

    Raises:
        UserError, ValueError: an array is missing or is not as described; the message is one sentence.
    """
    arrays = load(path)
    tokens, lengths = tokens_of(path, arrays)
    n, T, _ = tokens.shape
    for name, meaning in (("queries", "(n, e)"), ("selected", "(n,) int or (n, T) bool")):
        require(name in arrays, f"{path}: the array {name} is missing, {meaning}")
    queries = _held(path, "queries", arrays["queries"])
    queries = finite_array(f"{path}: queries", queries, (n, None), f"(n, e) with n = {n} as in tokens")
    selected = arrays["selected"]
    sets = selected.dtype == bool and selected.shape == (n, T)
    right = sets or (selected.dtype.kind in "iu" and selected.shape == (n,))
    got = f"got {selected.dtype} of shape {selected.shape}"
    require(right, f"{path}: selected: expected integers of shape ({n},) or booleans of shape {(n, T)}, {got}")
    inputs = []
    for i, length in enumerate(lengths):
        chosen = selected[i, :length] if sets else int(selected[i])
        where = f"{path}: selected of input {i}"
        if sets:
            require(bool(np.any(chosen)), f"{where}: expected a token in the set, got none")
        else:
            require(0 <= chosen < length, f"{where}: expected a token number from 0 to {length - 1}, got {chosen}")
        inputs.append((tokens[i, :length], queries[i], chosen))
    return inputs


def save(
    path: str | os.PathLike, solution: Solution, norm: str, tol: float, problem: str | os.PathLike, inputs
) -> None:
    """Write an answer with its certificate; `problem` is the file that `inputs` come from.

    Arrays: status, norm, tol, W (d, e), dual (m,) by input and then by token, the first selected one left out; method;
    problem, the name of the file, and problem_sha256, of its numbers; format. Of a wide problem W_left (d, r) and
    W_right (e, r) with W = W_left W_rightᵀ, and no W. Of an infeasible one also farkas (m,), decimal integers that
    combine the constraints to exactly zero; where these are too long to compute, it is written as "remote". All that is
    proved follows from these; no value or gap is written.
    """
    claim: dict[str, Any] = {
        "format": FORMAT,
        "status": str(solution.status),
        "norm": norm,
        "tol": tol,
        "dual": solution.dual,
        "method": solution.method,
        "problem": Path(problem).name,
        "problem_sha256": digest(inputs),
    }
    if solution.status == "infeasible":
        made, bound, equality = matrices(inputs)
        exact = refutation(made, solution.dual, bound, equality)
        claim |= {"status": "remote"} if exact is None else {"farkas": np.array([digits(weight) for weight in exact])}
    claim |= {"W": solution.W} if solution.factors is None else dict(zip(FACTORS, solution.factors, strict=True))
    with replacing(path, checksum=False) as temporary, open(temporary, "wb") as file:
        (np.savez_compressed if "farkas" in claim else np.savez)(file, **claim)  # words of one length, mostly empty


def digest(inputs: list[tuple]) -> str:
    """SHA-256 of the numbers of a problem, whatever file holds them."""
    total = hashlib.sha256()
    for X, z, chosen in inputs:
        reference = np.flatnonzero(chosen) if isinstance(chosen, np.ndarray) else [chosen]
        for array, kind in ((X.shape, "<i8"), (X, "<f8"), (z, "<f8"), (len(reference), "<i8"), (reference, "<i8")):
            total.update(np.ascontiguousarray(array, dtype=kind).tobytes())
    return total.hexdigest()


def matrices(inputs: list[tuple]):
    """The constraint matrices as `checker.check` takes them, with bounds and equalities, built input by input."""
    tokens = np.concatenate([X for X, _, _ in inputs])
    queries = np.array([z for _, z, _ in inputs])
    rows, start = [], 0
    for i, (X, _, chosen) in enumerate(inputs):
        members = set(np.flatnonzero(chosen).tolist()) if isinstance(chosen, np.ndarray) else {chosen}
        first = min(members)
        rows += [(start + first, start + t, i, t in members) for t in range(len(X)) if t != first]
        start += len(X)
    winner, loser, query, equality = (np.array(column) for column in zip(*rows, strict=True)) if rows else [_none] * 4
    equality = equality.astype(bool)
    return (tokens, queries, winner, loser, query), np.where(equality, 0.0, 1.0), equality


_none = np.zeros(0, dtype=int)


def is_answer(path: str | os.PathLike) -> bool:
    """Whether a file is an answer by what is in it, whatever its name, or could be what is left of one.

    That is an archive that cannot be read, a file of this name without one, or one of zeros, as a loss of power leaves.
    """
    try:
        if not starts_as_archive(path):
            begin = start(path, ZEROS)
            return Path(path).suffix == ".npz" or (bool(begin) and not any(begin))
        return sum(name in load(path) for name in TELLING) > 1
    except UserError:
        return True  # `verify` says what is wrong with it


def provable(tol: float, where: str) -> None:
    """UserError where a relative gap is no tolerance that proves anything; the file that is checked does not choose."""
    require(0 < tol <= LOOSEST, f"{where}: expected a relative gap above 0 and at most {LOOSEST:.0e}, got {tol:.1e}")


def verify(path: str | os.PathLike, problem: str | os.PathLike | None = None) -> str:
    """Check the claim of an answer file; the proved statement in one line.

    Args:
        path: written by `save`.
        problem: the file with its tokens; None: the file that the answer names, in the same folder.

    Raises:
        UserError, ValueError: a file is not as described, or the claim does not hold; one sentence says why.
    """
    path = Path(path)
    arrays = load(path)
    held = FACTORS if FACTORS[0] in arrays else ("W",)
    lacking = [name for name in (*CLAIMED, *held) if name not in arrays]
    require(not lacking, f"{path}: is no certificate: the array {', '.join(lacking[:1])} is missing")
    require(_scalar(path, arrays, "format", "iu") == FORMAT, f"{path}: was written by another version of attnsvm")
    more = sorted(set(arrays) - {*CLAIMED, *held, "farkas"})  # as a W beside its factors, which alone are judged
    require(not more, f"{path}: is no certificate: nothing is proved of its array {', '.join(more[:1])}")
    _scalar(path, arrays, "method", "U")
    problem = path.parent / Path(_scalar(path, arrays, "problem", "U")).name if problem is None else Path(problem)
    require(_is_file(problem), f"{path}: there is no file {problem} with its tokens: name the file with --tokens")
    inputs = read(problem)
    digested = _scalar(path, arrays, "problem_sha256", "U")
    require(digest(inputs) == digested, f"{path}: was made for other tokens than those in {problem}")
    made, bound, equality = matrices(inputs)
    norm, tol = str(_scalar(path, arrays, "norm", "U")), float(_scalar(path, arrays, "tol", "f"))
    require(known(norm), f"{path}: there is no norm {norm!r}")
    provable(tol, f"{path}: tol")
    status = str(_scalar(path, arrays, "status", "U"))
    require(status in PROVED, f"{path}: does not hold: status {status!r} claims nothing")
    dual_header, *headers = (arrays.header(name) for name in ("dual", *held))  # nothing is read that cannot be right
    shape, last = (made[0].shape[1], made[1].shape[1]), headers[-1].shape[-1:]
    shapes = [shape] if held == ("W",) else [(size, *last) for size in shape]
    require(
        dual_header.shape == bound.shape
        and [header.shape for header in headers] == shapes
        and last != (0,)
        and all(header.dtype.kind == "f" and header.dtype.itemsize == 8 for header in (dual_header, *headers)),
        f"{path}: expected W of shape {shape} and {len(bound)} multipliers, "
        f"got {' and '.join(str(header.shape) for header in headers)} and {dual_header.shape}",
    )
    dual, parts, integers = arrays["dual"], [arrays[name] for name in held], _integers(path, arrays, bound.shape)
    if status == "infeasible":
        reason = _not_refuting(integers, made, bound, equality)
        require(not reason, f"{path}: does not hold: {reason}")
        return f"{path}: no W separates the selected tokens of {problem}: verified exactly"
    claim = SimpleNamespace(status=status, dual=dual)
    claim.W, claim.factors = (parts[0], None) if held == ("W",) else (None, (parts[0], parts[1]))
    verdict = check(made, bound, equality, norm, tol, claim)
    if (status, verdict.status) == ("remote", "infeasible"):
        return f"{path}: no W separates the selected tokens of {problem}: verified, every rounding enclosed"
    require(verdict.status == status, f"{path}: does not hold: {verdict.reason or 'more is proved: ' + verdict.status}")
    if status == "remote":
        low = written(*verdict.low.as_integer_ratio(), 6, up=False)
        return f"{path}: no W whose norm {norm} is below {low} separates the tokens of {problem}: verified"
    if len(bound) == 0:
        return f"{path}: W = 0 solves {problem}, which asks nothing of W: every input has one token alone"
    near = f", the solution within {_up(verdict.radius, 2)} of W" if norm == "fro" else ""
    low, high = written(*verdict.low.as_integer_ratio(), 12, up=False), _up(verdict.high, 12)
    return (
        f"{path}: solves {problem} in the norm {norm}: the least norm lies between {low} and "
        f"{high}, relative gap {_up(max(verdict.gap, 0.0), 1)} (tolerance {tol:.0e}){near}; every solution has a "
        f"rank of at least {verdict.rank_low} and is within {_up(verdict.rank_error, 1)} of rank {verdict.rank_bound}: "
        "verified"
    )


def written(numerator: int, denominator: int, digits: int, up: bool) -> str:
    """A number as so many decimal digits that are not below it, or (`up` is False) not above it."""
    context = Context(prec=digits, rounding=ROUND_CEILING if up else ROUND_FLOOR)
    rounded = context.divide(Decimal(numerator), Decimal(denominator))
    ordinary = rounded == 0 or abs(rounded.adjusted()) < 300  # where a float holds 15 digits
    return f"{float(rounded):.{digits}g}" if ordinary else f"{rounded:.{digits}g}"


def _up(number: float, digits: int) -> str:
    return written(*number.as_integer_ratio(), digits, up=True) if math.isfinite(number) else str(number)


def _integers(path, arrays, shape) -> list[str]:
    """The words of farkas, as many as multipliers; none where the file has no such array."""
    if "farkas" not in arrays:
        return []
    header, sentence = arrays.header("farkas"), "an exact combination of the constraints (farkas) is missing"
    require(header.dtype.kind == "U" and header.shape == shape, f"{path}: {sentence}: expected {shape[0]} words")
    return arrays["farkas"].tolist()


def _not_refuting(texts: list[str], made, bound, equality) -> str:
    """Why the integers of a file do not show that there is no W; "" if they do."""
    if not texts:
        return "an exact combination of the constraints (farkas) is missing"
    letters, d, e = sum(map(len, texts)) - len(texts), made[0].shape[1], made[1].shape[1]
    if letters * d > DIGITS[0] or letters * d * e > DIGITS[1]:
        return "the combination of the constraints (farkas) is too long to judge"
    if not all(INTEGER.fullmatch(text) for text in texts):
        return "the combination of the constraints (farkas) is not of integers"
    return refuting(made, bound, equality, np.array([integer(text) for text in texts], dtype=object))


def _scalar(path, arrays, name: str, kinds: str):
    """A number, or, of the kind U, a word."""
    header, what = arrays.header(name), "word" if kinds == "U" else "number"
    require(header.shape == () and header.dtype.kind in kinds, f"{path}: is no certificate: {name} is not a {what}")
    return arrays[name][()]


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a name too long
        return False
