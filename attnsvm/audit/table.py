"""The audit as a table: one row a claim."""

import pandas as pd

from attnsvm.audit.claims import CLAIMS
from attnsvm.audit.reading import UNTESTABLE, Tables
from attnsvm.pipeline.answers import STATUSES
from attnsvm.experiments import EXPERIMENTS


def audit(tables: Tables) -> pd.DataFrame:
    """One row per claim: what it says, what was measured, and the verdict that follows."""
    return pd.DataFrame([_row(claim, tables) for claim in CLAIMS])


def _row(claim, tables) -> dict:
    row = {name: getattr(claim, name) for name in ("key", "group", "statement", "check")}
    blank = {"instances": 0} | dict.fromkeys(("value", "low", "high", "published", "threshold"), float("nan"))
    blank |= {"why": claim.why, "parts": "", "verdict": UNTESTABLE, "figure": claim.figure}
    if not claim.testable:
        return row | blank
    try:
        reading = claim.read(tables, claim.threshold)
    except (KeyError, IndexError, ValueError):  # a configuration may leave a claim without an instance
        return row | blank | {"why": "this run has no instance that the check could be made on"}
    parts = "; ".join(f"{'yes' if met else 'no'}: {what}" for what, met in reading.parts.items())
    row |= {name: getattr(reading, name) for name in ("instances", "value", "low", "high", "published")}
    row |= {"threshold": claim.threshold, "why": claim.why, "parts": parts}
    return row | {"verdict": reading.verdict, "figure": claim.figure}


def certificates(tables: Tables) -> pd.DataFrame:
    """Per experiment: how many SVM answers the checker saw, and how many it accepted as solved or infeasible."""
    rows = []
    for experiment in EXPERIMENTS:
        own = tables.certificates(experiment)
        row = {"experiment": experiment, "checked": int(own[list(STATUSES)].to_numpy().sum())}
        row |= {word: int(own[word].sum()) for word in STATUSES}
        rows.append(row | {name: own[name].max() for name in ("largest_gap", "largest_residual")})
    return pd.DataFrame(rows)
