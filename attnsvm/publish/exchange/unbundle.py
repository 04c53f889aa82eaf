"""`attnsvm unbundle`: the results in a bundle, where this code and this configuration would have made them; or nothing.

The whole bundle is read and compared first. Then each file comes after its record and its checksum, at one stroke: it
is not there, or it is there with both, whenever this ends. So an edit of the code reruns what it must, and whoever
begins again goes on. The records are this clone's own words, about jobs that it would have run: none is taken.
"""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path

from attnsvm.data.cells import COUNTED
from attnsvm.pipeline import job_records
from attnsvm.pipeline.command_line import CONFIGFILE
from attnsvm.pipeline.configuration import resolve
from attnsvm.pipeline.plan import Plan
from attnsvm.publish.exchange import archive, lineage
from attnsvm.publish.exchange.bundle import figures_of
from attnsvm.publish.exchange.manifest import Manifest, of_code
from attnsvm.publish.exchange.settings import first_difference
from attnsvm.system import checksums
from attnsvm.system.errors import UserError, require, shown
from attnsvm.system.untrusted import yaml_file
from attnsvm.system.writing import replacing

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
        UserError: it is damaged, made by other code or settings, too large, would replace a file, or does not fit:
            nothing new is here.
    """
    with _in_one_sentence(bundle):
        require(not bundle.exists() or bundle.is_file(), f"{bundle}: is no file; nothing is unpacked")
        manifest = Manifest.parse(archive.read_index(bundle))
        total = sum(file.size for file in manifest.files.values())
        require(
            total <= limit,
            f"{bundle}: it unpacks to {total / 1e9:.1f} GB, more than {limit / 1e9:g} GB; "
            "raise --limit if you expect that",
        )
        plan = Plan(resolve(_given(folder, configfile) | {"scale": manifest.scale}), manifest.scatter)
        whole = _same(bundle, manifest, plan)
        params = _taken(bundle, manifest, plan, whole)
        new = [name for name in params if not os.path.lexists(folder / name)]
        for name in {*params} - {*new}:
            same = (folder / name).is_file() and checksums.of(folder / name) == manifest.files[name].sha256
            way_out = "delete it, or unpack in a fresh clone; nothing is unpacked"
            require(same, f"{bundle}: {name} is here already, with other bytes; {way_out}")
        archive.unpack(bundle, manifest.listed, lambda name: nullcontext())
        _put(bundle, manifest, params, {*new}, folder)
        return Unpacked(manifest, new, whole)


@contextmanager
def _in_one_sentence(bundle: Path) -> Iterator[None]:
    """Whatever is wrong with a bundle, or with the place for it, is a `UserError`."""
    try:
        yield
    except (archive.Damaged, ValueError) as error:
        raise UserError(f"{bundle}: {shown(error)}; nothing is unpacked") from error
    except OSError as error:
        what = f"{bundle}: cannot be " + ("read" if error.filename == str(bundle) else "unpacked here")
        raise UserError(f"{what} ({error.strerror or error}); nothing is unpacked") from error


def _given(folder: Path, configfile: Path | None) -> dict:
    """What the user's configuration says, as Snakemake would read it."""
    path = configfile or folder / CONFIGFILE
    found = yaml_file(path) or {}
    require(isinstance(found, dict), f"{path}: expected keys and values, as in config/config.yaml")
    return found


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
    here = of_code(experiments, figures_of(manifest.files, manifest.at))
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
        theirs, own = shown(theirs)[:200], shown(own)[:200]
        raise UserError(f"{bundle}: made with {shown(key)} = {theirs}, and here it is {own}; set it in {CONFIGFILE}")
    return first_difference(manifest.config, ours) is None


def _without_seeds(config: dict) -> dict:
    """The settings of a configuration, without those that say which seeds there are."""
    kept = {}
    for name, stages in config["experiments"].items():
        drawn = {key: value for key, value in stages.get("problems", {}).items() if key not in COUNTED}
        kept[name] = stages | ({"problems": drawn} if "problems" in stages else {})
    return {"figures": config["figures"], "experiments": kept}


def _taken(bundle: Path, manifest: Manifest, plan: Plan, whole: bool) -> dict[str, list[str]]:
    """The files to take, and what this clone would give the job of each."""
    files = [*manifest.files]
    for name in files:
        try:
            lineage.job_of(name, manifest.at)
        except UserError:
            raise UserError(
                f"{bundle}: it names {name!r}, which is not a place for results; nothing is unpacked"
            ) from None
    if not whole:
        blocks = {name: lineage.block_of(name, manifest.at) for name in files}
        files = [name for name, block in blocks.items() if block and block[1] in plan.blocks(block[0])]
        require(
            bool(files),
            f"{bundle}: none of its blocks of seeds is one of this configuration; set `instances` and `first_seed` in "
            f"{CONFIGFILE}, so that its blocks are among yours",
        )
    found = {}
    for name in files:
        with suppress(UserError):  # of an experiment, or a block, that is not here
            found[name] = lineage.params(name, plan)
        require(
            name in found and lineage.digest(found[name]) == manifest.files[name].params,
            f"{bundle}: {name} was made by a job with other settings or inputs than here; nothing is unpacked",
        )
    return found


def _put(bundle: Path, manifest: Manifest, params: dict[str, list[str]], new: set[str], folder: Path) -> None:
    """Write the new files, and a record of every file; where that fails nothing new stays."""
    now, sums = time.time_ns(), {name: file.sha256 for name, file in manifest.files.items()}
    travelling = folder / manifest.at / job_records.TRAVELLING
    made = [above for name in new for above in (folder / name).parents if not above.exists()]
    made += [above for above in (travelling, *travelling.parents) if not above.exists()]
    put: list[str] = []

    @contextmanager
    def place(name: str) -> Iterator[Path | None]:
        if name in params:
            put.append(name)
            rule, _ = lineage.job_of(name, manifest.at)
            job_records.put(folder, manifest.at, name, rule, params[name], manifest.files[name].inputs, sums)
        if name not in new:
            yield None
            return
        with replacing(folder / name) as temporary:
            yield temporary
            os.utime(temporary, ns=(now, now))  # one date for all: none is newer than what was made from it

    try:
        archive.unpack(bundle, manifest.listed, place)
    except BaseException as error:
        taken_back = [folder / name for name in put if name in new]
        for path in (*taken_back, *map(checksums.beside, taken_back)):
            with suppress(OSError):
                path.unlink(missing_ok=True)
        job_records.forget(travelling, {*put} & new)
        for above in sorted({*made}, reverse=True):
            with suppress(OSError):
                above.rmdir()
        if isinstance(error, UserError):
            raise UserError(f"{error}; nothing is unpacked") from error
        raise
