"""How another process of this package is started: nothing of the folder where one stands is imported there.

That folder may be a stranger's, with a numpy.py in it.
"""

import os
import sys
from pathlib import Path


def command(module: str, *arguments: str) -> list[str]:
    """What starts a module of this package."""
    return [sys.executable, "-P", "-m", module, *arguments]


def environment() -> dict[str, str]:
    """That of this process, and the package that it has; what PYTHONPATH has of the folder here is left out."""
    given = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    path = [str(Path(__file__).resolve().parents[2]), *filter(os.path.isabs, given)]
    return os.environ | {"PYTHONPATH": os.pathsep.join(path)}
