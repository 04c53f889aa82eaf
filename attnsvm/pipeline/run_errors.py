"""How a run of Snakemake ends with one sentence: an exception would come with a traceback around it.

The sentence on a mistake in the code of an experiment names its author's line, and not a line of a library.
"""

import sys
import traceback
from collections.abc import Callable
from typing import NoReturn, TypeVar

from attnsvm.pipeline.hashes.dependencies import HOME, ROOT, USERS
from attnsvm.system import extras
from attnsvm.system.errors import UserError

Answer = TypeVar("Answer")
EXPERIMENTS = f"{ROOT}/attnsvm/experiments/", f"{HOME}/{USERS}/"


def or_end(function: Callable[..., Answer], *arguments, **named) -> Answer:
    """The answer of a function; where the user can mend what stops it, its sentence ends the run."""
    try:
        return function(*arguments, **named)
    except (UserError, ModuleNotFoundError) as error:
        end(str(error) if isinstance(error, UserError) else mistake(error, place_of_mistake(error) or sys.executable))


def end(sentence: str) -> NoReturn:
    """End the run."""
    sys.exit(f"error: {sentence}")


def place_of_mistake(error: BaseException) -> str:
    """The last line of an experiment that ran: "attnsvm/experiments/own/cone/svm.py, line 7"; "" where none did.

    That of the error which this one was raised from, where its own is not in an experiment.
    """
    own = [one for one in traceback.extract_tb(error.__traceback__) if one.filename.startswith(EXPERIMENTS)]
    if not own and error.__cause__:
        return place_of_mistake(error.__cause__)
    return f"{own[-1].filename.removeprefix(f'{ROOT}/').removeprefix(f'{HOME}/')}, line {own[-1].lineno}" if own else ""


def mistake(error: BaseException, where: str) -> str:
    """The sentence on what went wrong at a place: a package that is missing is no mistake there."""
    if isinstance(error, ModuleNotFoundError) and not str(error.name).startswith("attnsvm"):
        return f"{where}: {extras.missing(str(error.name).partition('.')[0])}, or add --sdm conda (docs/install.md)"
    text = str(error).strip()
    what = type(error).__name__ + (f": {text.splitlines()[0]}" if text else "")
    return f"{where}: {what}; mend this module, or what it is given"
