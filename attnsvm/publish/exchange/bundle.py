"""`attnsvm bundle`: the results of targets in one file, with what another machine needs to take them for up to date."""

import json
import shlex
from pathlib import Path

from attnsvm.pipeline import provenance
from attnsvm.pipeline import targets as known
from attnsvm.pipeline.configuration import resolve
from attnsvm.pipeline.plan import Plan
from attnsvm.publish.exchange import archive, lineage
from attnsvm.publish.exchange.manifest import File, Manifest, of_code, scattered
from attnsvm.system import checksums
from attnsvm.system.errors import UserError, require
from attnsvm.system.version import __version__


def write(targets: list[str], path: Path, scale: str = "paper", folder: Path = Path(".")) -> Manifest:
    """Write a bundle of targets that are built in a folder, and return what it says of itself.

    Raises:
        UserError: a target is unknown, not built, damaged, or built by other code or settings than here.
    """
    plan = Plan(resolve({"scale": scale}), {})
    command = shlex.join(["snakemake", *targets, *([] if scale == "paper" else ["--config", f"scale={scale}"])])
    wanted = [file for target in targets for file in lineage.wanted(target, plan)]
    for file in wanted:
        require((folder / file).exists(), f"{file}: not built; run first: {command}")
    configured = [_config(folder / file) for file in wanted if file.endswith(".json")]
    settings = {name: stages for config in configured for name, stages in config["experiments"].items()}
    names = sorted(settings)
    # Once more: this puts settings into the order in which jobs are given them.
    whole = resolve({"scale": scale, "figures": configured[0]["figures"], "experiments": settings})
    found = lineage.behind(wanted, plan.at, folder)
    blocks: dict[str, set[str]] = {}
    for path_ in {one for record in found.values() for one in record.inputs} | {*found}:
        if block := lineage.block_of(path_, plan.at):
            blocks.setdefault(block[0], set()).add(block[1])
    scatter = scattered(Plan(whole, {}), blocks, whole)
    plan = Plan(whole, scatter)
    files = {}
    for file, record in sorted(found.items()):
        require(checksums.holds(folder / file), f"{file}: damaged ({checksums.DIFFERS}); run first: {command}")
        params = lineage.params(file, plan)
        fresh = params == [*record.params]
        require(fresh, f"{file}: built by other code or settings than here; run first: {command}")
        size, sha256 = (folder / file).stat().st_size, checksums.of(folder / file)
        files[file] = File(size, sha256, record.inputs, lineage.digest(params))
    manifest = Manifest(
        release=__version__,
        commit=provenance.git("rev-parse", "HEAD"),
        targets=targets,
        scale=scale,
        config={"figures": whole["figures"], "experiments": {name: whole["experiments"][name] for name in names}},
        scatter=scatter,
        code=of_code(names, figures_of(found, plan.at)),
        files=files,
    )
    archive.write(path, manifest.index(), ((file, folder / file) for file in files))
    return manifest


def figures_of(files, at: str) -> list[str]:
    """The figures among the files of a build."""
    names = {
        file.removeprefix(f"{at}figures/").rpartition(".")[0] for file in files if file.startswith(f"{at}figures/")
    }
    return sorted(names & {*known.figures(), *known.optional(), "audit"})


def _config(path: Path) -> dict:
    """The configuration that a figure was made with."""
    try:
        found = json.loads(path.read_text("utf-8"))["config"]
        return {"figures": dict(found["figures"]), "experiments": dict(found["experiments"])}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UserError(f"{path}: not what a build has written ({error}); delete it and run snakemake again") from error
