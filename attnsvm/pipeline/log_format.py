"""Names in few words: many in a sentence, and the one that was meant."""

import difflib
from collections.abc import Iterable, Sequence

NAMES = 30  # in a sentence at most


def listed(names: Sequence[str]) -> str:
    """The names with commas; of very many the first, and how many more there are."""
    more = f", and {len(names) - NAMES} more" if len(names) > NAMES else ""
    return ", ".join(map(str, names[:NAMES])) + more


def meant(name: str, known: Iterable[str]) -> str:
    """The known name that is close to a wrong one, or all of them: the end of a sentence."""
    known = [*known]
    close = difflib.get_close_matches(name, known, n=1)
    return f"did you mean {close[0]!r}?" if close else f"known are {listed(known)}"
