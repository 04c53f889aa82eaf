"""The verdicts of the claims whose tables are built, read anew: a page of the audit may be older than its tables."""

from pathlib import Path

from attnsvm.audit.reading import Tables
from attnsvm.audit.table import audit
from attnsvm.errors import UserError
from attnsvm.pipeline import cards

UNREADABLE = "unreadable"


def of_figure(name: str, folder: Path) -> dict[str, str]:
    """The verdict of each claim of an experiment, by key.

    A claim whose table is not built is left out. A claim that misses a column or a row in its table is UNREADABLE.

    Args:
        folder: with figures/ and results/ in it.
    """
    card = cards.read(name)
    found = {}
    for claim in card.claims:
        try:
            row = audit(Tables(folder), {name: (claim,)}).iloc[0]
        except UserError:
            continue
        except RuntimeError:  # a table of other code
            found[claim.key] = UNREADABLE
            continue
        found[claim.key] = str(row["verdict"])
    return found
