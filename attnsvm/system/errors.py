"""The one exception a user can cause: its message says what is wrong, where, and what to do; and how it is shown."""

LONGEST = 2000  # letters of a sentence


class UserError(Exception):
    """Something outside the code is wrong: a configuration, a file, an array.

    Its sentence is one line, as `shown`; of a long one, which repeats what somebody wrote, the middle is left out.
    """

    def __init__(self, sentence: object = "", **named):
        text = shown(sentence)
        super().__init__(
            text if len(text) <= LONGEST else f"{text[: LONGEST // 2]} ... {text[-LONGEST // 4 :]}", **named
        )


class Misread(RuntimeError):
    """A claim asks its tables for something that they do not have; the message names the module and the claim."""


class MissingError(UserError, ImportError):
    """A library that was not asked for at the installation is needed; `name`: which."""


def require(condition: bool, sentence: str) -> None:
    """Raise `UserError(sentence)` unless the condition holds."""
    if not condition:
        raise UserError(sentence)


def first_line(error: BaseException) -> str:
    """What an exception of another library says, as the end of a sentence."""
    lines = str(error).strip().splitlines()
    return lines[0].rstrip(".:") if lines else type(error).__name__


def shown(text: object) -> str:
    """A text on one line of a terminal: what would steer it, or is no character at all, stands there as an escape.

    File names and the arrays of strangers' files can hold anything.
    """
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in str(text))
