"""`attnsvm bundle`: the results of targets in one file, with what another machine needs to take them for up to date."""

import hashlib
import json
from pathlib import Path

from attnsvm import checksums
from attnsvm.errors import UserError, require
from attnsvm.pipeline import records
from attnsvm.pipeline import targets as known
from attnsvm.pipeline.configuration import resolve
from attnsvm.pipeline.plan import Plan
from attnsvm.pipeline.provenance import git
from attnsvm.publish.exchange import archive, lineage
from attnsvm.publish.exchange.manifest import Manifest, of_code, scattered
from attnsvm.version import __version__


def write(targets: list[str], path: Path, scale: str = "paper", folder: Path = Path(".")) -> Manifest:
    """Write a bundle of targets that are built in a folder, and return what it says of itself.

    Raises:
        UserError: a target is unknown, not built, damaged, or built by other code or settings than here.
    """
    plan = Plan(resolve({"scale": scale}), {})
    wanted = [file for target in targets for file in lineage.wanted(target, plan)]
    origins = [_origin(folder / file) for file in wanted if file.endswith(".json")]
    settings = {name: stages for origin in origins for name, stages in origin["config"]["experiments"].items()}
    names = sorted(settings)
    # Once more: this puts settings into the order in which jobs are given them.
    whole = resolve({"scale": scale, "figures": origins[0]["config"]["figures"], "experiments": settings})
    found = lineage.behind(wanted, plan.at, folder)
    blocks: dict[str, set[str]] = {}
    for path_ in {one for record in found.values() for one in record.inputs} | {*found}:
        if block := lineage.block_of(path_, plan.at):
            blocks.setdefault(block[0], set()).add(block[1])
    scatter = scattered(Plan(whole, {}), blocks, whole)
    plan = Plan(whole, scatter)
    for file, record in sorted(found.items()):
        require(checksums.holds(folder / file), f"{file}: damaged ({checksums.DIFFERS}); run snakemake again first")
        fresh = lineage.agrees(file, record, plan)
        require(fresh, f"{file}: built by other code or settings than here; run snakemake {targets[0]} first")
    content: dict[str, Path | bytes] = {file: folder / file for file in sorted(found)}
    content |= {f"{plan.at}{records.TRAVELLING}/{records.name(file)}": found[file].content for file in sorted(found)}
    manifest = Manifest(
        release=__version__,
        commit=git(folder, "rev-parse", "HEAD"),
        targets=targets,
        scale=scale,
        config={"figures": whole["figures"], "experiments": {name: whole["experiments"][name] for name in names}},
        scatter=scatter,
        code=of_code(names, figures_of(found, plan.at)),
        machine=origins[0]["machine"],
        packages=origins[0]["packages"],
        sizes={name: len(one) if isinstance(one, bytes) else one.stat().st_size for name, one in content.items()},
        sha256={name: _sha256(one) for name, one in content.items()},
    )
    archive.write(path, manifest.index(), content.items())
    return manifest


def figures_of(files, at: str) -> list[str]:
    """The figures among the files of a build."""
    names = {
        file.removeprefix(f"{at}figures/").rpartition(".")[0] for file in files if file.startswith(f"{at}figures/")
    }
    return sorted(names & {*known.figures(), *known.optional(), "audit"})


def _origin(path: Path) -> dict:
    try:
        return json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise UserError(f"{path}: not built; run snakemake first") from error


def _sha256(content: Path | bytes) -> str:
    return hashlib.sha256(content).hexdigest() if isinstance(content, bytes) else checksums.of(content)
