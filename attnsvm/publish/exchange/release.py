"""`attnsvm compare --write-reference`: the reference of a release, from its builds on one or more processors."""

from pathlib import Path

import pandas as pd

from attnsvm.pipeline import cards
from attnsvm.pipeline.provenance import git
from attnsvm.publish.exchange.compare import UNREADABLE, verdicts_of
from attnsvm.publish.exchange.differences import Tolerance, seen
from attnsvm.publish.exchange.reference import Figure, Reference, read, write
from attnsvm.system import checksums
from attnsvm.system.errors import UserError, require
from attnsvm.system.store import load_csv
from attnsvm.system.untrusted import json_file
from attnsvm.system.version import __version__


def make(folder: Path, others: list[Path], path: Path) -> Reference:
    """Write the reference of the build in a folder, and return it.

    What the reference that is there has seen on other processors stays, for figures whose settings are the same.

    Args:
        others: folders of builds of the same code on other processors, of all figures or of some.
        path: of the file.

    Raises:
        UserError: nothing is built, a figure says no origin, or another build differs in more than numbers.
    """
    built = [card.name for card in cards.figures(optional=True) if (folder / f"figures/{card.name}.csv").exists()]
    require(bool(built), f"{folder / 'figures'}: no figure is built; run snakemake figures/all audit first")
    judged = {key: word for name in built for key, word in verdicts_of(name, folder).items()}
    unread = [key for key, word in judged.items() if word == UNREADABLE]
    require(not unread, f"{folder}: the claims {', '.join(unread)} cannot be read; build it with the code that is here")
    tables = {name: load_csv(folder / f"figures/{name}.csv") for name in built}
    origins = {name: json_file(folder / f"figures/{name}.json") for name in built}
    first, former = origins[built[0]], read(path) if path.exists() else None
    reference = Reference(
        release=__version__,
        commit=git("rev-parse", "HEAD"),
        machine=first["machine"],
        packages=first["packages"],
        builds=max(1 + len(others), former.builds if former else 1),
        figures={name: _figure(folder, name, tables[name], origins[name], others, former) for name in built},
        verdicts=judged,
        path=path,
    )
    write(reference, tables)
    return reference


def _figure(
    folder: Path, name: str, table: pd.DataFrame, origin: dict, others: list[Path], former: Reference | None
) -> Figure:
    csv = f"figures/{name}.csv"
    further = [load_csv(other / csv) for other in others if (other / csv).exists()]
    try:
        tolerances = seen([table, *further])
    except ValueError as error:
        raise UserError(f"{csv}: {error}; the other builds must be of the same code and settings") from error
    settings = origin["config"]["experiments"]
    before = former.figures.get(name) if former else None
    if before and before.experiments == settings:
        for column, old in before.tolerances.items():
            if column in table:
                new = tolerances.get(column, Tolerance())
                tolerances[column] = Tolerance(max(old.largest, new.largest), max(old.share, new.share))
    return Figure(checksums.of(folder / csv), settings, tolerances)
