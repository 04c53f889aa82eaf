"""Which source files and settings are other ones than in the last run that ended well.

Snakemake says of a job that its params have changed, and shows two hashes. What is behind them is looked up in a file
beside Snakemake's own records.
"""

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from attnsvm.errors import UserError
from attnsvm.pipeline.hashes.dependencies import ROOT, code_of
from attnsvm.pipeline.terse import files
from attnsvm.reading import json_file
from attnsvm.writing import save_text

FOLDER = Path(".snakemake")


def remember(resolved: dict) -> None:
    """Note the code and the configuration of a run that ended well."""
    if FOLDER.is_dir():
        noted = json.dumps({"code": _code(), "settings": dict(_flat(resolved))})
        with suppress(UserError):  # a full disk: the run has ended well all the same
            save_text(_file(resolved), noted, checksum=False)


def sentence(resolved: dict) -> str:
    """What has changed since; "" where nothing has, or where no run has ended yet."""
    try:
        before = json_file(_file(resolved))
        old_code, old_settings = dict(before["code"]), dict(before["settings"])
    except (UserError, ValueError, KeyError, TypeError):
        return ""
    code, settings = _code(), dict(json.loads(json.dumps([*_flat(resolved)])))
    changed = [name for name in sorted({*code, *old_code}) if code.get(name) != old_code.get(name)]
    changed += [
        f"{key} = {json.dumps(settings.get(key))} (was {json.dumps(old_settings.get(key))})"
        for key in sorted({*settings, *old_settings})
        if settings.get(key) != old_settings.get(key)
    ]
    return f"Changed since the last run that ended well: {', '.join(files(changed))}." if changed else ""


def _file(resolved: dict) -> Path:
    return FOLDER / f"attnsvm-{resolved['scale']}.json"


def _code() -> dict[str, str]:
    """{source file of the package: a hash of what it does}."""
    found = {}
    for path in sorted((ROOT / "attnsvm").rglob("*.py")):
        name = str(path.relative_to(ROOT))
        try:
            found[name] = code_of(name)
        except UserError:
            found[name] = ""
    return found


def _flat(resolved: dict, above: str = "") -> Iterator[tuple[str, object]]:
    """The settings by dotted name."""
    for key, value in resolved.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{above}{key}.")
        elif above:
            yield f"{above}{key}", value
