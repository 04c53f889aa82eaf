"""What was measured of the layers of a model becomes its table and its page."""

import json
import os
from collections.abc import Sequence
from pathlib import Path

from attnsvm.inspect import origin, running
from attnsvm.inspect.several import COMMAND


def gathered(name: str, folder: str, layers: Sequence[str], settings: dict, out: str) -> None:
    """Write heads.parquet, heads.csv and heads.html of a model into a folder, given the files of all its layers."""
    found = [json.loads(Path(path).read_text("utf-8")) for path in layers]
    heads = [(row, marks) for one in found for row, marks in one["heads"]]
    made = origin.origin(folder, settings["seed"], os.environ.get(COMMAND, ""))
    first = found[0]
    running.gathered(name, made, first["shown"], heads, first["norms"], first["lifted"]).save(out)
