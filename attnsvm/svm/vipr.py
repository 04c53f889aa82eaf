"""Proofs of linear programs as VIPR certificates, version 1.1: the program, a solution, the derivation of a bound.

`viprchk`, which SCIP's project publishes (github.com/scipopt/vipr), checks them without this package.
"""

from collections.abc import Iterator, Mapping

from attnsvm.svm.linear_program import Proof


def lines(proof: Proof) -> Iterator[str]:
    """The lines of a certificate."""
    yield from (
        "VER 1.1",
        f"VAR {len(proof.names)}",
        " ".join(proof.names),
        "INT 0",
        "OBJ min",
        _pairs(proof.objective),
    )
    yield f"CON {proof.size} 0"
    for row in proof.rows():
        yield f"{row.name} {'E' if row.equal else 'G'} {row.bound} {_pairs(row.entries)}"
    derived = f"{{ lin {_pairs(proof.weights)} }} -1"
    if proof.point is None:
        yield from ("RTP infeas", "SOL 0", "DER 1", f"refuted G {proof.low} 0 {derived}")
    else:
        yield from (f"RTP range {proof.low} {proof.high}", "SOL 1", f"best {_pairs(proof.point)}")
        yield from ("DER 1", f"bound G {proof.low} OBJ {derived}")


def _pairs(numbers: Mapping) -> str:
    """How many numbers there are, and each after its place."""
    return " ".join([str(len(numbers)), *(f"{place} {number}" for place, number in numbers.items())])
