"""Names in a sentence."""

import difflib
from collections.abc import Iterable, Sequence

LISTED = 30  # names in a sentence at most


def listed(names: Sequence[str]) -> str:
    """The names with commas; of very many the first, and how many more there are."""
    more = f", and {len(names) - LISTED} more" if len(names) > LISTED else ""
    return ", ".join(map(str, names[:LISTED])) + more


def meant(name: str, known: Iterable[str]) -> str:
    """The known name that is close to a wrong one, or all of them: the end of a sentence."""
    known = [*known]
    close = difflib.get_close_matches(name, known, n=1)
    return f"did you mean {close[0]!r}?" if close else f"known are {listed(known)}"
