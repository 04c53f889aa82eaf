"""What a job has made: the record beside each of its files, by which a later run knows what is up to date.

A record binds the bytes of a file (`attnsvm.system.checksums`) to what was asked for, "made" (`Plan.made`), of which
the hash of the code is a part, and to the bytes of the inputs. A job writes it when it has ended well, and has run no
other code than it was asked to run. Snakemake's records decide nothing.
"""

import base64
import hashlib
import json
import os
import sys
import sysconfig
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from attnsvm.pipeline.hashes.dependencies import HOME, ROOT, USERS, digest, module_files, path_of
from attnsvm.system import checksums, loader
from attnsvm.system.errors import UserError, require

SNAKEMAKES = Path(".snakemake/metadata")  # in the folder of a run
PIECE = 254  # characters in the name of a file
WATCHED = (f"{ROOT}/attnsvm/", f"{HOME}/{USERS}/")
DECIDED = "longer"  # the name of inputs that a checkpoint decides on
CARD = "card.yaml"  # what jobs take from one stands in their params
DAMAGED = "it is damaged"
UNKNOWN = "there is no record of what made it"
AGAIN = "what was made of it does not count; run the same command again"


class Job:
    """A job as Snakemake's script has it, and what it runs.

    Attributes:
        name: of its experiment, figure or model; "" where it has none.
        input, output, params, wildcards, threads: Snakemake's.
        inputs, outputs: files by their names.
        log: where it writes what it does.
    """

    def __init__(self, snakemake: Any):
        self.input, self.output = [*map(str, snakemake.input)], [*map(str, snakemake.output)]
        self.inputs, self.outputs = dict(snakemake.input.items()), dict(snakemake.output.items())
        self.params, self.wildcards, self.threads = snakemake.params, snakemake.wildcards, snakemake.threads
        self.log, self.name = str(snakemake.log[0]), next(iter(dict(snakemake.wildcards.items()).values()), "")


def run(snakemake: Any, before: set[str]) -> None:
    """Run a job of Snakemake's script.

    Args:
        before: the modules that were imported when the process began, of others.

    Raises:
        UserError: the code is not what was asked for, or the job cannot do what it is to do.
    """
    job = Job(snakemake)
    with running(job, before):
        import_module(job.params.code["modules"][0]).JOBS[job.params.job](job)


@contextmanager
def running(job: Job, before: set[str]) -> Iterator[None]:
    """Let the body make the files of a job, and note at its end what they are made of.

    Raises:
        UserError: the code or the inputs are not those that were asked for, or the code of the body is not all hashed.
    """
    code, opened = job.params.code, _opened()
    try:
        paths = {file: path_of(file) for file in (*module_files(*code["modules"]), *code["texts"])}
        contents = {file: loader.fix(path) for file, path in paths.items()}
        asked = digest(*code["modules"], texts=tuple(code["texts"])) == code["sha256"]
        require(asked, f"the code was edited while this run waited: {AGAIN}")
        inputs = _inputs(job)
        for path in filter(os.path.islink, job.output):
            os.unlink(path)  # what it leads to is another's
        yield
        edited = [file for file, path in paths.items() if path.suffix != ".py" and path.read_bytes() != contents[file]]
        require(not edited, f"{', '.join(edited)}: was edited while this job ran: {AGAIN}")
    except loader.Edited as error:
        raise UserError(f"{error.path}: was edited while this job ran: {AGAIN}") from error
    told = map(path_of, job.params.get("files", []))  # what a provenance describes
    _require_covered(code["modules"], {os.path.realpath(path) for path in (*paths.values(), *told)}, opened, before)
    note(job.output, job.params.made, inputs, job.log)


def note(outputs: Iterable[str], made: str, inputs: Mapping[str, str], log: str = "") -> None:
    """Write the record of files that are there.

    Args:
        made: see `Plan.made`.
        inputs: {file that they were made from: its SHA-256}.
        log: of the job.
    """
    if checksums.kept():
        for path in outputs:
            if os.path.exists(path):
                checksums.sign(path, {"made": made, "inputs": dict(inputs), "log": log})


def stale(path: str, made: str, folder: str = "") -> str:
    """Why a file that is there has to be built anew; "" where it is what its record says, and the record what is asked.

    Args:
        made: what is asked for.
        folder: in which the build lies.
    """
    found = checksums.record(os.path.join(folder, path), made)
    if found is None:
        return UNKNOWN
    inputs = found["inputs"]
    if found["made"] != made:
        return "it was made of other settings or by other code"
    there = {one: os.path.join(folder, one) for one in inputs if os.path.exists(os.path.join(folder, one))}
    return next((f"it was made of another {one}" for one in there if sha256_of(there[one]) != inputs[one]), "")


def wrong(
    outputs: Iterable[str], made: str, broken: Collection[str] = (), searched: tuple[str, ...] = ()
) -> dict[str, str]:
    """Why files of a job that are there have to be built anew; of the others Snakemake has no record that disagrees.

    Args:
        made: what is asked for.
        broken: files whose bytes are known to be others than those they were written with.
        searched: what the paths of files begin with of which all such are known.

    Raises:
        UserError: a folder that would go holds somebody's own files.
    """
    there = [path for path in outputs if os.path.lexists(path)]
    damaged = {path for path in there if path in broken or not os.path.exists(path)}  # the last: a link to nowhere
    unseen = [path for path in there if path not in damaged and not path.startswith(searched)]
    damaged.update(path for path in unseen if not checksums.holds(path))
    for path in filter(os.path.isdir, there):
        known = os.path.islink(path) or not os.listdir(path) or (path not in damaged and bool(checksums.record(path)))
        require(known, f"{path}: a build replaces this folder, and it holds what none wrote; delete it or move it")
    why = {path: stale(path, made) or (DAMAGED if path in damaged else "") for path in there}
    for path in [path for path in why if not why[path]]:
        forget(path, made)
    return {path: reason for path, reason in why.items() if reason}


def sha256_of(path: str) -> str | None:
    """The SHA-256 that stands beside a file, that of what a link leads to; None where there is none."""
    with suppress(OSError):
        if os.path.islink(path):
            return checksums.of(path)
        return checksums.beside(path).read_bytes()[:64].decode("ascii", "replace")
    return None


def forget(path: str, made: str) -> None:
    """Take away Snakemake's record of a file that is up to date, where it says another thing than is asked for."""
    place = SNAKEMAKES / name(path)
    try:
        said = json.loads(place.read_bytes())["params"]
    except OSError:  # there is none
        return
    except (ValueError, KeyError, TypeError, RecursionError):
        said = []
    if repr(made) not in said:
        with suppress(OSError):
            place.unlink()


def part() -> None:
    """Let no record of Snakemake be another folder's too, as with hard links: it writes in place."""
    for above, _, names in os.walk(SNAKEMAKES):
        for one in (Path(above, name) for name in names):
            with suppress(OSError):
                if one.stat().st_nlink > 1:
                    beside = one.with_name(f".{one.name}.{os.getpid()}"[-PIECE:])
                    beside.write_bytes(one.read_bytes())
                    os.replace(beside, one)


def name(path: str) -> str:
    """The name of Snakemake's record of a file: its path in URL-safe base 64, a long one in pieces."""
    whole = base64.urlsafe_b64encode(path.encode()).decode()
    *folders, last = (whole[k : k + PIECE] for k in range(0, len(whole), PIECE))
    return "/".join([*(f"@{piece}" for piece in folders), last])


def origin_of(made: Iterable[str]) -> str:
    """One hash for what the jobs have noted whose files a job reads."""
    return hash_of(*sorted({*made}))


def hash_of(*what: object) -> str:
    """The hash of values as Python writes them."""
    return hashlib.sha256(repr(what).encode()).hexdigest()


def _inputs(job: Job) -> dict[str, str]:
    """The inputs of a job that jobs have made, with their SHA-256; they are what was asked for."""
    _date_today(job.input)
    if not checksums.kept():
        return {}
    noted = {path: checksums.record(path) for path in job.input}
    read = {path: str(record["made"]) for path, record in noted.items() if record}
    decided = job.inputs.get(DECIDED, [])  # what a checkpoint decides on follows from another input
    origin = origin_of(made for path, made in read.items() if path not in decided)
    # What comes from a cache was asked for there by its `made`, and the same bytes may have been made for another.
    known = job.params.get("origin", origin) == origin or any(map(checksums.is_cached, job.input))
    require(known, f"its input files are not those that this run asked for; they, or code, were edited: {AGAIN}")
    return {path: sha256 for path in read if (sha256 := sha256_of(path))}


def _opened() -> set[str]:
    """The files in the folders with code that this process opens from now on."""
    found: set[str] = set()

    def hear(event: str, given: tuple) -> None:
        if event == "open" and isinstance(given[0], str) and (path := os.path.abspath(given[0])).startswith(WATCHED):
            found.add(os.path.realpath(path))

    sys.addaudithook(hear)
    return found


def _require_covered(modules: list[str], files: set[str], opened: set[str], before: set[str]) -> None:
    """Refuse what was made by code, or of files, that the hash of the code does not cover.

    Raises:
        UserError: there is such a module or file.
    """
    what = modules[-1] if len(modules) > 3 else modules[0]
    imported = {name: _real(file) for name, file in _imported(before)}
    ours = sorted(name for name, file in imported.items() if name.startswith("attnsvm.") and file not in files)
    require(
        not ours,
        f"{what} runs {', '.join(ours)}, which no import statement behind it names: "
        "an edit of it would rerun nothing; import it by a statement",
    )
    places = [HOME, ROOT, Path.cwd(), *map(Path, filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep)))]
    roots = tuple(f"{os.path.realpath(place)}/" for place in places)
    beside = sorted(
        file
        for name, file in imported.items()
        if not name.startswith("attnsvm") and file.startswith(roots) and _is_loose(file)
    )
    remedy = "put it into the folder of the experiment, or install it"
    require(not beside, f"{what} imports {', '.join(beside)}, and an edit of that would rerun nothing; {remedy}")
    opened = {path for path in opened - files if os.path.isfile(path) and not path.endswith((".py", CARD))}
    read = {path for path in opened if "/__pycache__/" not in path}
    named = "name it in the module beside it that reads it"
    require(not read, f"{what} reads {', '.join(sorted(read))}, and an edit of that would rerun nothing; {named}")


def _imported(before: set[str]) -> Iterator[tuple[str, str]]:
    """The modules that this process has imported since then, with their files."""
    for name, module in [*sys.modules.items()]:
        file = getattr(module, "__file__", None) or ""
        if name not in before and name != "__main__" and os.path.isfile(file):
            yield name, file


def _real(file: str) -> str:
    """The path of a file without links: a job asks for that of two thousand modules, which lie in few folders."""
    folder, name = os.path.split(file)
    return os.path.realpath(file) if os.path.islink(file) else os.path.join(_folder(folder), name)


_folder = cache(os.path.realpath)


def _is_loose(file: str) -> bool:
    """Whether a module belongs to no library that was installed, nor to Python."""
    if {"site-packages", "dist-packages"} & {*file.split("/")}:
        return False
    return not file.startswith(tuple(f"{_folder(sysconfig.get_path(name))}/" for name in ("stdlib", "platstdlib")))


def _date_today(paths: Iterable[str]) -> None:
    """No input is from the future: Snakemake fails a job whose inputs have a later date than what it wrote."""
    now = time.time()
    for path in paths:
        with suppress(OSError):  # gone by now, or somebody else's
            if os.stat(path).st_mtime > now:
                os.utime(path, (now, now))
