"""Where an inspection comes from: the model and its checksum, what was asked, when, and with which release."""

import hashlib
import os
from datetime import UTC, datetime
from pathlib import Path

from attnsvm import checksums

WEIGHTS = ("*.safetensors", "*.bin", "config.json")  # what decides over the numbers of a model in a folder


def origin(model: str | os.PathLike, seed: int, command: str) -> dict[str, str]:
    """What the page says of itself, in its order; `command`: what was typed, "" where nobody typed one.

    The date is that of SOURCE_DATE_EPOCH where this is set.
    """
    said = {"model": str(model), "SHA-256": checksum(Path(model))}
    return _said(said | {"command": command, "seed": str(seed)} | made(""))


def made(command: str) -> dict[str, str]:
    """Command, release and date alone."""
    from attnsvm.version import __version__

    seconds = os.environ.get("SOURCE_DATE_EPOCH")
    now = datetime.now(UTC) if seconds is None else datetime.fromtimestamp(int(seconds), UTC)
    date = now.isoformat(" ", "seconds").replace("+00:00", " UTC")
    return _said({"command": command, "release": f"attnsvm {__version__}", "date": date})


def _said(of: dict[str, str]) -> dict[str, str]:
    return {name: text for name, text in of.items() if text}


def checksum(model: Path) -> str:
    """The SHA-256 of a file; for a folder, one over the names and checksums of the files of `WEIGHTS`."""
    if model.is_file():
        return checksums.of(model)
    found = sorted({path for pattern in WEIGHTS for path in model.glob(pattern)})
    total = hashlib.sha256()
    for path in found:
        total.update(f"{path.name}\0{checksums.of(path)}\n".encode())
    return f"{total.hexdigest()} (of the checksums of {', '.join(path.name for path in found)})"
