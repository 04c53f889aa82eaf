"""How a run of Snakemake ends with one sentence: an exception would come with a traceback around it."""

import sys
from collections.abc import Callable
from typing import NoReturn, TypeVar

from attnsvm.errors import UserError

Answer = TypeVar("Answer")


def or_end(function: Callable[..., Answer], *arguments, **named) -> Answer:
    """The answer of a function; where the user can mend what stops it, its sentence ends the run."""
    try:
        return function(*arguments, **named)
    except UserError as error:
        end(str(error))


def end(sentence: str) -> NoReturn:
    """End the run."""
    sys.exit(f"error: {sentence}")
