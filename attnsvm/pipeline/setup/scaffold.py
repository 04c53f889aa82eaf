"""`attnsvm experiment NAME` (or `make experiment NAME=...`): a folder for a new experiment.

What it copies is a small real experiment that builds as it is: change it into your own.
"""

import keyword
import re
from pathlib import Path

from attnsvm.pipeline import cards
from attnsvm.system.errors import require
from attnsvm.system.writing import filling

TEMPLATE = Path(__file__).resolve().with_name("template")
# Names of targets, and of folders in results/.
RESERVED = (
    *("all", "audit", "benchmarks", "claims", "gallery", "logs", "paper", "report", "site"),
    *(cards.ELSEWHERE, *cards.SECTIONS),
)


def scaffold(name: str, folder: Path = cards.OWN) -> Path:
    """Write the folder of a new experiment and return it.

    Raises:
        UserError: no experiment can be called so, or one is.
    """
    fits = re.fullmatch(r"[a-z][a-z0-9_]{1,39}", name) and not keyword.iskeyword(name)
    require(
        bool(fits),
        f"{name!r} cannot name an experiment: take 2 to 40 lower-case letters, digits and underscores, a letter first, "
        "and no word of Python; for example my_conjecture",
    )
    require(name not in RESERVED, f"{name!r} means something else here: choose another name")
    target, taken = folder / name, cards.place(name) if name in cards.names() else ""
    require(not taken, f"{taken} already exists: choose another name")
    require(not target.exists(), f"{target.relative_to(folder.parent)} already exists: choose another name")
    with filling(target, last="card.yaml") as made:
        for source in sorted(TEMPLATE.iterdir()):
            if source.is_file() and source.stem.isidentifier():  # not what an editor has put there
                text = source.read_text("utf-8")
                (made / source.name).write_text(text.replace('"NAME"', f'"{name}"'), "utf-8")
    return target
