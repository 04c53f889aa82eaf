"""Names in a sentence."""

from collections.abc import Sequence

LISTED = 30  # names in a sentence at most


def listed(names: Sequence[str]) -> str:
    """The names with commas; of very many the first, and how many more there are."""
    more = f", and {len(names) - LISTED} more" if len(names) > LISTED else ""
    return ", ".join(map(str, names[:LISTED])) + more
