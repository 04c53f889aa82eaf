"""The one exception a user can cause: its message says what is wrong, where, and what to do."""


class UserError(Exception):
    """Something outside the code is wrong: a configuration, a file, an array."""


class MissingError(UserError, ImportError):
    """A library that was not asked for at the installation is needed; `name`: which."""


def require(condition: bool, sentence: str) -> None:
    """Raise `UserError(sentence)` unless the condition holds."""
    if not condition:
        raise UserError(sentence)
