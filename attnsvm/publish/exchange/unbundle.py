"""`attnsvm unbundle`: the results in a bundle, where this code and this configuration would have made them; or nothing.

Everything is unpacked into a hidden folder and checked there. Only then the files are moved to their places, each after
its checksum, and the records go where the next run of Snakemake finds them.
"""

import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

import yaml

from attnsvm import checksums
from attnsvm.data.cells import COUNTED
from attnsvm.errors import UserError, require
from attnsvm.pipeline import records
from attnsvm.pipeline.command_line import CONFIGFILE
from attnsvm.pipeline.configuration import resolve
from attnsvm.pipeline.plan import Plan
from attnsvm.publish.exchange import archive, lineage
from attnsvm.publish.exchange.bundle import figures_of
from attnsvm.publish.exchange.manifest import Manifest, of_code
from attnsvm.publish.exchange.settings import first_difference

LIMIT = 10 * 10**9  # bytes: seven times all results at the paper's scale


@dataclass(frozen=True)
class Unpacked:
    """What was taken from a bundle.

    Attributes:
        manifest: what it says of itself.
        files: that are here now and were not before.
        whole: whether all of it was taken; otherwise the blocks alone, of those seeds that this configuration has.
    """

    manifest: Manifest
    files: list[str]
    whole: bool


def read(bundle: Path, folder: Path = Path("."), configfile: Path | None = None, limit: int = LIMIT) -> Unpacked:
    """Unpack a bundle into a clone.

    Args:
        folder: the clone.
        configfile: what Snakemake will be given as --configfile; config/config.yaml if None.
        limit: the largest size, in bytes, of what is unpacked.

    Raises:
        UserError: it is damaged, made by other code or settings, too large, or would replace a file: nothing
            is written.
    """
    try:
        manifest = Manifest.parse(archive.read_index(bundle))
    except (archive.Damaged, ValueError) as error:
        raise UserError(f"{bundle}: {error}; nothing is unpacked") from error
    except OSError as error:
        raise UserError(f"{bundle}: cannot be read ({error.strerror or error})") from error
    total = sum(manifest.sizes.values())
    require(
        total <= limit,
        f"{bundle}: it unpacks to {total / 1e9:.1f} GB, more than {limit / 1e9:g} GB; raise --limit if you expect that",
    )
    plan = Plan(resolve(_given(folder, configfile) | {"scale": manifest.scale}), manifest.scatter)
    whole = _same(bundle, manifest, plan)
    staging = Path(tempfile.mkdtemp(prefix=".unbundle-", dir=folder))
    try:
        archive.unpack(bundle, manifest.sizes, manifest.sha256, lambda name: staging / name)
        taken = _taken(bundle, manifest, plan, staging, whole)
        return Unpacked(manifest, _put(bundle, manifest, taken, staging, folder), whole)
    except archive.Damaged as error:
        raise UserError(f"{bundle}: {error}; nothing is unpacked") from error
    except OSError as error:
        raise UserError(
            f"{bundle}: cannot be unpacked here ({error.strerror or error}); free space and try again"
        ) from error
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _given(folder: Path, configfile: Path | None) -> dict:
    """What the user's configuration says, as Snakemake would read it."""
    path = configfile or folder / CONFIGFILE
    try:
        return yaml.safe_load(path.read_text("utf-8")) or {}
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror}); run this in a clone of the repository") from error
    except yaml.YAMLError as error:
        raise UserError(f"{path}: this is not YAML ({getattr(error, 'problem', error)})") from error


def _same(bundle: Path, manifest: Manifest, plan: Plan) -> bool:
    """Whether code and settings are those of this clone; False where only the seeds are others.

    Raises:
        UserError: they are not; the sentence names the first difference.
    """
    experiments = sorted(manifest.config["experiments"])
    unknown = [name for name in experiments if name not in plan.resolved["experiments"]]
    require(
        not unknown, f"{bundle}: it has results of {', '.join(unknown)}, an experiment that this clone does not have"
    )
    here = of_code(experiments, figures_of(manifest.sizes, manifest.at))
    other = [file for file in sorted({*here, *manifest.code}) if here.get(file) != manifest.code.get(file)]
    made = f"attnsvm {manifest.release}, commit {manifest.commit or 'unknown'}"
    require(
        not other,
        f"{bundle}: made by other code ({made}) than is here: {', '.join(other[:3])}"
        f"{' and others' if len(other) > 3 else ''}; check out that commit",
    )
    ours = {
        "figures": plan.resolved["figures"],
        "experiments": {name: plan.resolved["experiments"][name] for name in experiments},
    }
    if found := first_difference(_without_seeds(manifest.config), _without_seeds(ours)):
        key, theirs, own = found
        raise UserError(f"{bundle}: made with {key} = {theirs}, and here it is {own}; set it in {CONFIGFILE}")
    return first_difference(manifest.config, ours) is None


def _without_seeds(config: dict) -> dict:
    """The settings of a configuration, without those that say which seeds there are."""
    kept = {}
    for name, stages in config["experiments"].items():
        drawn = {key: value for key, value in stages.get("problems", {}).items() if key not in COUNTED}
        kept[name] = stages | ({"problems": drawn} if "problems" in stages else {})
    return {"figures": config["figures"], "experiments": kept}


def _taken(bundle: Path, manifest: Manifest, plan: Plan, staging: Path, whole: bool) -> list[str]:
    """The files to take, each with a record that says what this clone would ask of its job."""
    files = [name for name in manifest.sizes if not name.startswith(f"{manifest.at}{records.TRAVELLING}/")]
    if not whole:
        blocks = {name: lineage.block_of(name, manifest.at) for name in files}
        files = [name for name, block in blocks.items() if block and block[1] in plan.blocks(block[0])]
        require(
            bool(files),
            f"{bundle}: none of its blocks of seeds is one of this configuration; set `instances` and `first_seed` in "
            f"{CONFIGFILE}, so that its blocks are among yours",
        )
    for name in files:
        record = staging / manifest.at / records.TRAVELLING / records.name(name)
        require(record.exists(), f"{bundle}: it has no record of {name}; nothing is unpacked")
        agrees = lineage.agrees(name, lineage.Record.parse(name, record.read_bytes()), plan)
        require(
            agrees, f"{bundle}: {name} was made by a job with other settings or inputs than here; nothing is unpacked"
        )
    return files


def _put(bundle: Path, manifest: Manifest, files: list[str], staging: Path, folder: Path) -> list[str]:
    """Move files to their places, and their records to where the next run looks; returns those that were not here."""
    new = [name for name in files if not (folder / name).exists()]
    for name in {*files} - {*new}:
        same = checksums.of(folder / name) == manifest.sha256[name]
        require(same, f"{bundle}: {name} is here already, with other bytes; delete it, or unpack in a fresh clone")
    for name in new:
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if checksums.kept():
            checksums.beside(target).write_text(f"{manifest.sha256[name]}  {target.name}\n")
        os.replace(staging / name, target)
    arrived = folder / manifest.at / records.ARRIVED
    arrived.mkdir(parents=True, exist_ok=True)
    for name in new:
        os.replace(staging / manifest.at / records.TRAVELLING / records.name(name), arrived / records.name(name))
    return new
