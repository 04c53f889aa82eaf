"""What Snakemake would answer with a traceback, said in one sentence before it starts; its caches, its user's name.

profiles/default runs `prepare` when Snakemake reads it: before the configuration is looked at, and in the process that
the user started only. Nothing here costs time: no library is imported but the one for YAML.
"""

import getpass
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType

from attnsvm.system import caches
from attnsvm.system.errors import UserError, require, shown
from attnsvm.system.untrusted import yaml_file, yaml_of

CONFIGFILE = "config/config.yaml"
SETTINGS = ("arithmetic", "elsewhere", "experiments", "figures", "intermediates", "run", "scale")
PLUGINS = {"executor": "executor", "default-storage-provider": "storage"}  # {key of a profile: kind of plugin}
PATIENCE = 60  # seconds for an answer of SLURM
PROFILE = re.compile(r"(?:profile|config)(?:\.v(\d+)\+)?\.yaml")  # the files of a profile's folder
BUILT_IN = ("local", "dryrun", "touch", "none")
CACHES = {"XDG_CACHE_HOME": "", "MPLCONFIGDIR": "matplotlib", "NUMBA_CACHE_DIR": "numba"}


def prepare() -> None:
    """Check the command line of this process, and set what the machine lacks: folders for caches, a name."""
    try:
        require(
            " " not in sys.executable,
            f"there is a space in {sys.executable}, and Snakemake cannot start such a Python: make the environment "
            "in a path without one, as in make VENV=/path/without/space install",
        )
        check(sys.argv[1:])
        for folder in values(sys.argv[1:], "--directory", "-d") or ["."]:
            _require_writable(Path(folder).absolute())
    except UserError as error:
        sys.exit(f"error: {error}")
    choose_caches()
    name_the_user()
    sys.excepthook = say_interrupted


def say_interrupted(kind: type[BaseException], error: BaseException, stack: TracebackType | None) -> None:
    """What Python calls at an exception that nobody caught: Ctrl-C while Snakemake starts is no error of a program."""
    if issubclass(kind, KeyboardInterrupt):
        print("interrupted before the first job", file=sys.stderr)
    else:
        sys.__excepthook__(kind, error, stack)


def check(arguments: list[str]) -> None:
    """Raise `UserError` for the first argument that Snakemake would stumble over."""
    check_config(arguments)
    for target in targets(arguments):
        key, equals, _ = target.partition("=")
        require(
            not equals or key not in SETTINGS,
            f"{target}: settings go after --config, as in snakemake figures/cone --config {target}",
        )
    if "slurm" in executors(arguments) and not dry(arguments):
        _check_slurm(_said(arguments, "slurm-status-command"))
    folder = [*values(arguments, "--directory", "-d"), "."][0]
    if os.path.exists(own := os.path.join(folder, CONFIGFILE)):
        _check_file(Path(own))


def check_config(arguments: list[str]) -> None:
    """Raise `UserError` for the first setting of which Snakemake would lose a part, or that would end it."""
    for entry in values(arguments, "--config", "-C"):
        _check_entry(entry)
    for path in values(arguments, "--configfile", "--configfiles"):
        _check_file(Path(path))


def dry(arguments: list[str]) -> bool:
    """Whether jobs are only said, and nothing is touched."""
    return bool({"-n", "--dry-run", "--dryrun"} & {*arguments})


def executors(arguments: list[str]) -> list[str]:
    """What runs the jobs, if not this machine: as said on the command line and in the profiles that it names.

    Raises:
        UserError: a plugin that a profile asks for is not installed: Snakemake would print a screen of options.
    """
    for found, said in _profiles(arguments):
        for kind, name in ((kind, said[key]) for key, kind in PLUGINS.items() if key in said):
            plugin = f"snakemake-{kind}-plugin-{name}"
            there = name in BUILT_IN or find_spec(plugin.replace("-", "_")) is not None
            require(there, f"{found}: its {kind} {name} is a plugin that is not installed: pip install {plugin}")
    return [name for name in _said(arguments, "executor", "-e") if name not in BUILT_IN]


def values(arguments: Iterable[str], *options: str) -> list[str]:
    """What follows any of the options, up to the next option."""
    found, taken = [], False
    for argument in arguments:
        option, equals, value = argument.partition("=")
        if argument.startswith("-"):
            taken = option in options
            if taken and equals:
                found.append(value)
        elif taken:
            found.append(argument)
    return found


def targets(arguments: Iterable[str]) -> list[str]:
    """What stands before the first option, or after --."""
    whole = list(arguments)
    first = next((place for place, argument in enumerate(whole) if argument.startswith("-")), len(whole))
    return whole[:first] + (whole[whole.index("--") + 1 :] if "--" in whole else [])


def asked(command: list[str]) -> list[str]:
    """What is asked for and is no file that is there: the targets, and what looks like one behind an option.

    Args:
        command: the words of the process, its program first; none is read of another program, or of another Snakefile.
    """
    program, *arguments = command
    if "snakemake" not in program or values(arguments, "--snakefile", "-s"):
        return []
    named = [word for word in arguments if re.match(r"(runs/[^/]+/)?(smoke/)?(figures|results|elsewhere)/", word)]
    return [word for word in dict.fromkeys([*targets(arguments), *named]) if not os.path.exists(word)]


def choose_caches() -> None:
    """Where the home folder cannot be written to, let Snakemake, matplotlib and numba cache in a temporary folder."""
    home = caches.of_the_user()
    if home is not None and caches.writable(home):
        return
    folder = caches.private() or Path(tempfile.mkdtemp(prefix="attnsvm-caches-"))
    for variable, name in CACHES.items():
        if variable == "XDG_CACHE_HOME" or variable not in os.environ:
            os.environ[variable] = str(folder / name)


def name_the_user() -> None:
    """Snakemake asks for a name; a container may run as a number that the system has no name for."""
    try:
        getpass.getuser()
    except (KeyError, OSError):
        os.environ["LOGNAME"] = str(os.getuid())


def _check_entry(entry: str) -> None:
    key, equals, value = entry.partition("=")
    require(
        bool(equals),
        f"--config {entry}: this is not KEY=VALUE; targets go before --config, as in "
        "snakemake figures/cone --config scale=smoke",
    )
    if "." in key:
        *parents, last = key.split(".")
        nested = f"{last}: {value}"
        for parent in reversed(parents[1:]):
            nested = f"{parent}: {{{nested}}}"
        raise UserError(f"--config {entry}: write it as --config '{parents[0]}={{{nested}}}'")
    require(
        re.fullmatch(r"[a-zA-Z_][\w-]*\w", key) is not None,
        f"--config {entry}: {key!r} is not a key; known are {', '.join(SETTINGS)}",
    )
    try:
        yaml_of(value, f"--config {entry:.200}")
    except UserError as error:
        raise UserError(f"{error}; write it as in --config 'figures={{dpi: 72}}'") from error


def _require_writable(folder: Path) -> None:
    require(
        not folder.is_dir() or caches.writable(folder),
        f"the folder {folder} cannot be written to, and Snakemake keeps its records there, in .snakemake: "
        "copy the repository to a folder of your own",
    )


def _said(arguments: list[str], key: str, *short: str) -> list[str]:
    """The values of an option: on the command line, then in the profiles that it names."""
    of_profiles = [said[key] for _, said in _profiles(arguments) if key in said]
    return values(arguments, f"--{key}", *short) + of_profiles


def _profiles(arguments: list[str]) -> Iterator[tuple[Path, dict]]:
    """The files of the profiles that are asked for, and what they say, where it is what a profile can say.

    What is not there is one of the user's own folder of profiles, or Snakemake says that there is none.
    """
    for profile in values(arguments, "--profile") or os.environ.get("SNAKEMAKE_PROFILE", "").split(","):
        matches = (
            [match for one in Path(profile).glob("*") if (match := PROFILE.fullmatch(one.name))] if profile else []
        )
        newest = max((int(match[1] or 0) for match in matches), default=0)
        names = [match[0] for match in matches if int(match[1] or 0) == newest]
        for found in [Path(profile, name) for name in names] or [Path(profile)]:
            with suppress(UserError):  # Snakemake says what is wrong with it
                said = yaml_file(found)
                if isinstance(said, dict):
                    yield found, said


def _check_slurm(status_command: list[str]) -> None:
    """UserError where no SLURM answers, or nothing says how a job has ended: a run would ask again and again.

    Args:
        status_command: what is to be asked for the jobs, if it is said: `sacct`, which reads the accounts, or `squeue`.
    """
    status, said = _answer("sinfo", "--noheader")
    require(
        status is not None, "there is no sinfo on PATH: start this where the commands of SLURM are, as on a login node"
    )
    lines = said.strip().splitlines()
    require(status == 0, f"SLURM does not answer: {shown(lines[0] if lines else 'sinfo failed')}")
    if status_command[:1] == ["squeue"] or shutil.which("sacct") is None:  # without which the plugin asks squeue
        return
    _, accounts = _answer("scontrol", "show", "config")
    none = re.search(r"^AccountingStorageType\s*=\s*(accounting_storage/none|\(null\))\s*$", accounts, re.MULTILINE)
    failed, why = (1, "") if none else _answer("sacct", "--noheader", "--allocations")
    require(
        not none and not (failed and "disabled" in why),
        "this SLURM keeps no accounts, so sacct cannot say which jobs have ended, and the run would wait for ever: "
        "write slurm-status-command: squeue in the profile",
    )


def _answer(*command: str) -> tuple[int | None, str]:
    """The status of a command of SLURM, None where there is no such command, and what it said on both its outputs."""
    try:
        run = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=PATIENCE,
            check=False,
        )
    except FileNotFoundError:
        return None, ""
    except subprocess.TimeoutExpired:
        raise UserError(
            f"SLURM does not answer: {command[0]} said nothing in {PATIENCE} s; is its controller there?"
        ) from None
    return run.returncode, run.stdout.decode("utf-8", "replace")


def _check_file(path: Path) -> None:
    found = yaml_file(path)
    require(
        found is None or isinstance(found, dict),
        f"{path}: there are no keys and values in it; the card.yaml of each experiment lists its settings",
    )
