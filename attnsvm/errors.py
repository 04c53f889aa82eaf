"""The one exception a user can cause: its message says what is wrong, where, and what to do."""

from collections.abc import Sequence


class UserError(Exception):
    """Something outside the code is wrong: a configuration, a file, an array."""


class MissingError(UserError, ImportError):
    """A library that was not asked for at the installation is needed; `name`: which."""


def require(condition: bool, sentence: str) -> None:
    """Raise `UserError(sentence)` unless the condition holds."""
    if not condition:
        raise UserError(sentence)


LISTED = 30  # names in a sentence at most


def listed(names: Sequence[str]) -> str:
    """The names with commas; of very many the first, and how many more there are."""
    more = f", and {len(names) - LISTED} more" if len(names) > LISTED else ""
    return ", ".join(map(str, names[:LISTED])) + more
