"""What the checker may say of an SVM answer, see `svm.Status`, and how answers are counted."""

from collections.abc import Iterable, Mapping

from attnsvm.errors import require

LOOSEST = 1e-7  # relative gap that no tolerance exceeds: in the Frobenius norm an angle of 5e-4
STATUSES = ("solved", "infeasible", "remote", "uncertified")
COUNTS = (*STATUSES, "rational")  # rational: those of any status that were decided in rationals


def require_tight(experiment: str, rows: Iterable[Mapping]) -> None:
    """UserError unless what is called solved has a gap within the tolerance.

    The checker holds each answer to the tolerance of its norm; this is the loosest of these.

    Args:
        rows: with "solve", "solved" and "largest_gap", as `answers.count` has them, or its csv.
    """
    for row in rows:
        gap = float(row["largest_gap"] if row["largest_gap"] != "" else "nan")
        require(
            int(row["solved"]) == 0 or gap <= LOOSEST,
            f"{experiment}, {row['solve']}: an answer that is called solved has a relative gap of {gap:.1e}, and the "
            f"tolerance is {LOOSEST:.0e}: delete results/{experiment} and run snakemake again",
        )
