"""Proofs of linear programs as Lean 4, for `LP.Verify.verifyOutcome` of LPVerify (github.com/leanprover/lp-verify).

Its checker is proved sound in Lean: what it accepts as infeasible or as a feasible optimum is a theorem there. It asks
for primal and dual values that are equal, and ours enclose the least norm: so a range [low, high] is two statements,
that no W has a norm of at most low(1 − 2^-40), and that one of norm high or less keeps the constraints.
"""

from collections.abc import Iterator

from flint import fmpq

from attnsvm.svm.certificate import written
from attnsvm.svm.linear_program import Proof, Row

BELOW = 1 - fmpq(1, 2**40)  # a combination of rows must contradict the range, and not only touch its end


def lines(proof: Proof) -> Iterator[str]:
    """The lines of a file that prints what was proved, one line a statement."""
    yield from ("import LPVerify", "open LP LP.Verify")
    if proof.point is None:
        yield from _statement("refuted", proof, None, proof.weights, "no W separates the tokens")
        return
    if proof.low > 0:
        limit = proof.low * BELOW
        yield from _statement("least", proof, limit, proof.weights, f"no W has a norm of {_short(limit)} or less")
    assert proof.high is not None
    yield from _statement("found", proof, proof.high, None, f"a W has a norm of {_short(proof.high, up=True)} or less")


def _statement(name: str, proof: Proof, most: fmpq | None, weights: dict[int, fmpq] | None, says: str) -> Iterator[str]:
    """A problem, what proves it, and the question; `most` bounds the objective in a row of its own, the last.

    Args:
        weights: of the rows, which refute them; None for the point of the proof, which keeps them.
    """
    m, n = proof.size + (most is not None), len(proof.names)
    rows = [*proof.rows()]
    bounds = [f"({_some(row.bound)}, {_some(row.bound) if row.equal else 'none'})" for row in rows]
    if most is not None:
        rows.append(Row("", False, most, proof.objective))
        bounds.append(f"(none, {_some(most)})")
    entries = (f"({k}, {a}, {number})" for k, row in enumerate(rows) for a, number in row.entries.items())
    yield f"def {name} : Problem {m} {n} :="
    yield f"  {{ c := Vector.replicate {n} 0, a := #[{', '.join(entries)}]"
    yield f"    rowBounds := #v[{', '.join(bounds)}], colBounds := Vector.replicate {n} (none, none) }}"
    signed = [fmpq(0)] * m
    for k, weight in (weights or {}).items():
        signed[k] = weight
    if weights and most is not None:
        signed[-1] = fmpq(-1)
    zeros = f"Vector.replicate {n} 0"
    point = "none" if weights else f"some {_vector([(proof.point or {}).get(a, fmpq(0)) for a in range(n)])}"
    yield f"def {name}Proof : Certificate {m} {n} :="
    yield f"  {{ primal := {point}, ray := none"
    yield f"    dual := some {{ rowLower := {_vector([max(x, fmpq(0)) for x in signed])}"
    yield f"                   rowUpper := {_vector([max(-x, fmpq(0)) for x in signed])}"
    yield f"                   colLower := {zeros}, colUpper := {zeros} }} }}"
    status = "infeasible" if weights else "optimal"
    yield f"#eval match verifyOutcome {{}} none {name}"
    yield f'    {{ status := .{status}, objective := none, certificate := {name}Proof, log := "" }} with'
    yield f'  | .{status} {"_" if weights else "_ _"} => "{says}"'
    yield f'  | _ => "{name}: rejected"'


def _vector(numbers: list[fmpq]) -> str:
    return f"#v[{', '.join(map(str, numbers))}]"


def _some(number: fmpq) -> str:
    return f"some ({number})"


def _short(number: fmpq, up: bool = False) -> str:
    return written(int(number.p), int(number.q), 12, up)
