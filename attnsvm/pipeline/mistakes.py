"""A mistake in the code of an experiment, in one sentence that names its author's line, and not a line of a library."""

import traceback

from attnsvm.pipeline.hashes.dependencies import ROOT

EXPERIMENTS = f"{ROOT}/attnsvm/experiments/"


def place(error: BaseException) -> str:
    """The last line of an experiment that ran: "attnsvm/experiments/own/cone/svm.py, line 7"; "" where none did.

    That of the error which this one was raised from, where its own is not in an experiment.
    """
    own = [one for one in traceback.extract_tb(error.__traceback__) if one.filename.startswith(EXPERIMENTS)]
    if not own and error.__cause__:
        return place(error.__cause__)
    return f"{own[-1].filename.removeprefix(f'{ROOT}/')}, line {own[-1].lineno}" if own else ""


def sentence(error: BaseException, where: str) -> str:
    """What went wrong at a place."""
    text = str(error).strip()
    what = type(error).__name__ + (f": {text.splitlines()[0]}" if text else "")
    return f"{where}: {what}; mend this module, or what it is given"
