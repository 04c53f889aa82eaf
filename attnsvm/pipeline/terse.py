"""Names in few words: many in a sentence, the one that was meant, and what Snakemake says of a job.

A reason of 300 files, and a hash of 64 digits, are walls.
"""

import difflib
import re
from collections.abc import Iterable, Sequence

NAMES = 30  # in a sentence at most
SHOWN = 3  # files of a list, where it is longer than MOST
MOST = 6
LISTED = 150  # jobs at most of which a dry run says each by itself
DIGEST = re.compile(r"\b([0-9a-f]{8})[0-9a-f]{56}\b")


def listed(names: Sequence[str]) -> str:
    """The names with commas; of very many the first, and how many more there are."""
    more = f", and {len(names) - NAMES} more" if len(names) > NAMES else ""
    return ", ".join(map(str, names[:NAMES])) + more


def meant(name: str, known: Iterable[str]) -> str:
    """The known name that is close to a wrong one, or all of them: the end of a sentence."""
    known = [*known]
    close = difflib.get_close_matches(name, known, n=1)
    return f"did you mean {close[0]!r}?" if close else f"known are {listed(known)}"


def files(names: Sequence[str]) -> list[str]:
    """The first names of a long list, and how many more there are."""
    few = len(names) <= MOST
    return [*names] if few else [*names[:SHOWN], f"and {len(names) - SHOWN} more"]


def reason(text: str) -> str:
    """A reason with short lists and short hashes."""
    parts = []
    for part in text.split("; "):
        head, colon, listed = part.partition(": ")
        is_list = bool(colon) and head.endswith(("files", "job"))
        parts.append(f"{head}: {', '.join(files(listed.split(', ')))}" if is_list else part)
    return DIGEST.sub(r"\1", "; ".join(parts))


def unlisted(count: int) -> str:
    """What a dry run says in place of its jobs."""
    return f"The {count} jobs are not listed: snakemake -n figures/NAME lists those of one figure, and --verbose all."
