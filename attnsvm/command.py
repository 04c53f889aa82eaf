"""The command `attnsvm`: what can be done with the package where no workflow is at hand."""

import argparse
import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

from tqdm import tqdm

from attnsvm import geometry
from attnsvm.pipeline import verify
from attnsvm.publish.exchange import commands as exchange
from attnsvm.system import checksums, extras, interpreter, machine, signals, store, writing
from attnsvm.system.errors import UserError, require, shown

TABLES = (".csv", ".parquet", ".html")  # in the folder of a model, what an inspection wrote and no model has
STAGES = ("problems.npz", "descent.npz", "svm.npz")  # files of a build whose answers can be judged again


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status.

    Returns:
        0 done, 1 an error in one sentence, 2 called wrongly, 128 + n ended by signal n, a closed pipe (13) among them.
    """
    return signals.status(lambda: _status(arguments))


def _status(arguments: Sequence[str] | None) -> int:
    parser = argparse.ArgumentParser(prog="attnsvm", description="Transformers as support vector machines.")
    parser.add_argument("--version", action=_Version, nargs=0, default=argparse.SUPPRESS, help="print the release")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    _add_inspect(commands.add_parser("inspect", help="compare heads with certified solutions and null models"))
    _add_why(commands.add_parser("why", help="name the support tokens that hold the selections of one head"))
    _add_solve(commands.add_parser("solve", help="find the W of least norm for given tokens, with a certificate"))
    checked = commands.add_parser("verify", help="check certificates; name every file that is damaged")
    checked.add_argument(
        "paths", nargs="*", metavar="PATH", help="answers, other files, folders; default: results and figures"
    )
    checked.add_argument(
        "--tokens", metavar="FILE", help="the problem of an answer; default: the file that the answer names"
    )
    exchange.add_run(checked)
    checked.set_defaults(run=_verify)
    exported = commands.add_parser("export", help="write an answer as a certificate that other checkers read")
    exported.add_argument("answer", metavar="ANSWER.npz")
    form = exported.add_mutually_exclusive_group(required=True)
    form.add_argument("--vipr", metavar="FILE", help="for viprchk: a refutation, or an optimum in l1 or linf")
    form.add_argument("--lean", metavar="FILE", help="the same for the proof assistant Lean 4 and its LPVerify")
    exported.add_argument("--tokens", metavar="FILE", help="the problem; default: the file that the answer names")
    exported.set_defaults(run=_export)
    started = commands.add_parser("experiment", help="make a folder for a new experiment")
    started.add_argument("name", metavar="NAME")
    started.set_defaults(run=_experiment)
    deployed = commands.add_parser("deploy", help="write a working copy of the pipeline, without a clone")
    deployed.add_argument("folder", metavar="FOLDER", type=Path)
    deployed.set_defaults(run=_deploy)
    _add_profile(commands.add_parser("profile", help="write a profile for a cluster"))
    exchange.add(commands)
    given = parser.parse_args(arguments)
    given.typed = shlex.join([parser.prog, *(sys.argv[1:] if arguments is None else arguments)])
    try:
        return given.run(given)
    except (UserError, ValueError, MemoryError) as error:
        print(f"error: {shown(error) or 'there is not enough memory'}", file=sys.stderr)
        return 1
    except OSError as error:
        if error.filename is None:  # a closed pipe, a full disk, or a mistake of ours
            raise
        print(f"error: {shown(error.filename)}: {error.strerror}", file=sys.stderr)
        return 1
    except ModuleNotFoundError as error:
        if not error.name or error.name.partition(".")[0] == "attnsvm":  # a mistake of ours
            raise
        print(f"error: {extras.missing(error.name.partition('.')[0])}", file=sys.stderr)
        return 1


def _add_inspect(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Writes heads.parquet, heads.csv and the page heads.html, and says how many controls heads beat. "
        "docs/inspect.md explains every column."
    )
    add = parser.add_argument
    _add_model(add)
    add("--out", metavar="FOLDER", default="inspection", help="default: inspection")
    add("--layers", nargs="+", type=int, metavar="N", help="numbers from 0; default: all")
    add("--heads", nargs="+", type=int, metavar="N", help="numbers from 0; default: all")
    add("--norms", nargs="+", choices=("fro", "nuc"), help="default: both, or fro where logits depend on distance")
    for name, kind, default, text in (
        ("nuclear-inputs", int, 16, "largest number of queries fitted in the nuclear norm"),
        ("held-out", float, 0.3, "share of the texts held out"),
        ("draws", int, 2, "null models of each kind per head and norm"),
    ):
        add(f"--{name}", type=kind, default=default, metavar="N", help=f"{text}; default: {default}")
    add("--no-loss", dest="loss", action="store_false", help="leave out the loss of the whole model, where it is large")
    add("--jobs", type=int, default=machine.processors(), metavar="N", help="processes; default: one per processor")
    parser.set_defaults(run=_inspect)


def _add_why(parser: argparse.ArgumentParser) -> None:
    parser.description = "Writes a table: the support tokens of each selection, multipliers, flip radii."
    add = parser.add_argument
    _add_model(add)
    add("--layer", type=int, default=0, metavar="N", help="number from 0; default: 0")
    add("--head", type=int, default=0, metavar="N", help="number from 0; default: 0")
    add("--text", type=int, metavar="N", help="only the selections of this text, a number from 0; default: all")
    add("--out", metavar="FILE", default="why.csv", help="default: why.csv")
    parser.set_defaults(run=_why)


def _add_model(add: Callable) -> None:
    """What is read, for the commands that read a model."""
    add("model", metavar="MODEL", help="a folder in the Hugging Face layout, a .gguf file, or an .npz file of arrays")
    add("--texts", metavar="FILE", help="one text per line, in UTF-8; default: 235 sentences of the package")
    add("--device", default="cpu", metavar="DEVICE", help="where the model runs: cpu, cuda or cuda:N; default: cpu")
    asks = "the position that asks: random (one per text), first, last, all, or a number from 0; default: random"
    add("--query", type=_position, default="random", metavar="WHICH", help=asks)
    for name, default, text in (
        ("inputs", 150, "largest number of queries fitted, and of queries held out"),
        ("longest", 64, "tokens after which a text is cut"),
        ("seed", 0, "of positions, split and null models"),
    ):
        add(f"--{name}", type=int, default=default, metavar="N", help=f"{text}; default: {default}")


def _add_solve(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Reads tokens (n, T, d), queries (n, e) and selected (n,) or (n, T) bool, and writes the answer with its proof."
    )
    parser.add_argument("problem", metavar="TOKENS.npz")
    parser.add_argument("--norm", default="fro", help=f"{geometry.KNOWN}; default: fro")
    parser.add_argument(
        "--tol", type=float, metavar="GAP", help="relative gap to prove, at most 1e-7; default: the norm's"
    )
    parser.add_argument("--out", default="answer.npz", metavar="ANSWER.npz", help="default: answer.npz")
    parser.set_defaults(run=_solve)


def _add_profile(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Writes FOLDER/config.yaml, the SLURM profile with the number of blocks that suits the measured stage times. "
        "docs/cluster.md says what a good length is."
    )
    add = parser.add_argument
    add("folder", metavar="FOLDER", type=Path)
    add("--cores", type=int, required=True, metavar="N", help="cores that run jobs at once")
    for name, default, text in (
        ("seconds", 60.0, "seconds of work in a block"),
        ("scale", 1.0, "instances, as a multiple of the measured build"),
    ):
        add(f"--{name}", type=float, default=default, metavar="X", help=f"{text}; default: {default:g}")
    add("--times", type=Path, default=Path("profiles/times.json"), metavar="FILE", help="default: profiles/times.json")
    parser.set_defaults(run=_profile)


def _position(text: str) -> str | int:
    return int(text) if text.lstrip("-").isdigit() else text


def _inspect(given: argparse.Namespace) -> int:
    from attnsvm import inspect

    texts, settings = _asked(given)
    require(bool(given.out), "--out: expected the name of a folder, got an empty one")
    out = Path(given.out)
    for name in inspect.WRITTEN:
        _keeps(out / name, given.model, given.texts)
        writing.target(out / name)
    require(out.is_dir() or not out.exists(), f"--out: {out} is a file, expected a folder; choose another place")
    _outside(out, given.model)
    with _bars() as bar:
        then = shlex.join(["attnsvm", "why", given.model, *_changed(given)])
        found = inspect.inspection(given.model, texts, **settings, progress=bar, command=given.typed, then=then)
    for line in (*found.save(given.out), *found.said):
        print(shown(line))
    return 0


def _why(given: argparse.Namespace) -> int:
    from attnsvm import inspect
    from attnsvm.inspect.reasons import in_words

    texts, settings = _asked(given)
    require(bool(given.out), "--out: expected the name of a file, got an empty one")
    _keeps(given.out, given.model, given.texts)
    writing.target(given.out)
    _outside(Path(given.out), given.model)
    with _bars() as bar:
        found = inspect.why(given.model, texts, **settings, progress=bar)
    store.save_csv(Path(given.out), store.as_text(found))
    for line in (given.out, *in_words(found)):
        print(shown(line))
    return 0


def _asked(given: argparse.Namespace) -> tuple[list[str] | None, dict]:
    """The texts, and the settings of what reads a model."""
    from attnsvm import inspect

    os.environ["HF_HUB_OFFLINE"] = "1"  # libraries that read models fetch nothing
    require(bool(given.model), "model: expected the name of a folder or of an .npz file, got an empty one")
    outside = ("command", "run", "model", "texts", "out", "typed")
    settings = {name: value for name, value in vars(given).items() if name not in outside}
    return None if given.texts is None else inspect.lines(given.texts), settings


def _changed(given: argparse.Namespace) -> list[str]:
    """The options of `_add_model` that are not what they are by default, as they are typed."""
    alone = argparse.ArgumentParser()
    _add_model(alone.add_argument)
    default = vars(alone.parse_args([given.model]))
    pairs = [(f"--{name}", str(getattr(given, name))) for name in default if getattr(given, name) != default[name]]
    return [word for pair in pairs for word in pair]


def _keeps(written: str | Path, *read: str | None) -> None:
    """UserError where the file to be written is one that is read, by whatever name; of a model, one in its folder."""
    for path in (Path(one) for one in read if one is not None):
        inside = [one for one in path.iterdir() if one.suffix not in TABLES] if path.is_dir() else []
        if Path(written).exists() and any(Path(written).samefile(one) for one in (path, *inside) if one.exists()):
            raise UserError(f"--out: {written} would overwrite what is read from {path}; choose another place")


def _outside(written: Path, model: str) -> None:
    """UserError where nothing can be written, or in the folder of the model, by whatever name."""
    from attnsvm.inspect import packaged

    above = next(one for one in written.resolve().parents if one.exists())
    require(above.is_dir(), f"--out: {above} is a file, so no folder can be made in it")
    effective = os.access in os.supports_effective_ids  # what this process may, and not who started it
    allowed = os.access(above, os.W_OK, effective_ids=effective)
    require(allowed, f"--out: {above} is read-only; choose another place")
    inside = packaged.holds(model, written)
    require(not inside, f"--out: {written} lies in the folder of the model, {model}; choose another place")


@contextmanager
def _bars() -> Iterator[Callable]:
    """What shows progress; bars end here, so that what is said of an error has a line of its own."""
    shown: list[tqdm] = []

    def bar(items, **named):
        shown.append(tqdm(items, **named))
        return shown[-1]

    try:
        yield bar
    finally:
        for one in shown:
            one.close()


def _solve(given: argparse.Namespace) -> int:
    from attnsvm.svm import certificate
    from attnsvm.svm.constraints import ragged
    from attnsvm.svm.solver import norm_and_tolerance, solve

    require(bool(given.out), "--out: expected the name of a file, got an empty one")
    writing.target(given.out)
    _keeps(given.out, given.problem)
    if given.tol is not None:
        certificate.provable(given.tol, "--tol")
    _, tol = norm_and_tolerance(given.norm, given.tol)
    inputs = certificate.read(given.problem)
    constraints = ragged(inputs)
    with tqdm(desc=f"{len(constraints)} constraints", bar_format="{desc} [{elapsed}]") as bar:
        solution = solve(constraints, given.norm, given.tol, report=bar.set_description_str)
    if solution.status == "uncertified":
        raise UserError(f"{given.problem}: not proved to tol = {tol:.1e}: {solution.rejected}; nothing is written")
    certificate.save(given.out, solution, given.norm, tol, given.problem, inputs)
    print(shown(certificate.verify(given.out, given.problem)))
    return 0


def _verify(given: argparse.Namespace) -> int:
    def judge(path: Path) -> tuple[bool, str] | None:
        from attnsvm.svm import certificate

        if not certificate.is_answer(path):
            return None
        try:
            return True, certificate.verify(path, given.tokens)
        except (UserError, ValueError, MemoryError) as error:
            return False, str(error)

    paths = [*given.paths, *([str(exchange.of_run(given.name, Path()))] if given.name else [])]
    built = [path for path in paths or verify.FOLDERS if any(file.name in STAGES for file in checksums.walk(path))]
    status = verify.main(paths, judge, *_judged_again(built if paths else []))
    if built and not paths:
        print(f"No answer of a stage file was judged: attnsvm verify {' '.join(built)} judges them all again.")
    return status


def _judged_again(built: list[str]) -> tuple[int, int]:
    """Judge the answers of builds in folders again, in a process that computes as their jobs did.

    Returns:
        The numbers of stage files whose answers are confirmed, and of those whose answers are not.
    """
    if not built:
        return 0, 0
    from attnsvm.pipeline.running import arithmetic, reverification

    same = arithmetic.PORTABLE if arithmetic.supported() else {}
    command = interpreter.command("attnsvm.pipeline.running.reverification", *built)
    counted, environment = None, {"OMP_NUM_THREADS": "1"} | interpreter.environment() | same
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True, encoding="utf-8") as process:
        assert process.stdout is not None
        try:
            for line in process.stdout:
                print(line, end="", flush=True)
                counted = reverification.COUNTED.search(line.rstrip("\n")) or counted
        except BaseException:  # a signal, or nobody reads on: leaving waits for the process
            process.kill()
            raise
    judged, failed = (int(count) for count in counted.groups()) if counted else (0, 0)
    return judged, failed or int(process.returncode != 0)  # it may have ended early


def _export(given: argparse.Namespace) -> int:
    from attnsvm.svm import lean, linear_program, vipr

    out, lines = (given.vipr, vipr.lines) if given.vipr else (given.lean, lean.lines)
    _keeps(out, given.answer, given.tokens)
    print(linear_program.export(given.answer, out, lines, given.tokens))
    return 0


class _Version(argparse.Action):
    """The package is asked for its version only where the user asks."""

    def __call__(self, parser: argparse.ArgumentParser, *given: object) -> NoReturn:
        from attnsvm import __version__

        print(f"attnsvm {__version__}")
        parser.exit()


def _experiment(given: argparse.Namespace) -> int:
    from attnsvm.pipeline.setup import scaffold

    extras.needed("snakemake")  # without which no experiment runs
    folder = scaffold.scaffold(given.name)
    print(f"{folder.parent.name}/{given.name} is a small experiment that runs as it is: make it yours.")
    print(f"  snakemake figures/{given.name} --config scale=smoke   in seconds, into smoke/figures/")
    print(f"  snakemake figures/{given.name}                        at full scale, into figures/")
    print("docs/experiment.md goes through its files.")
    return 0


def _deploy(given: argparse.Namespace) -> int:
    from attnsvm.pipeline.setup.deploy import deploy

    print(f"{len(deploy(given.folder))} files in {given.folder}. Build a figure there, with the extra `figures`:")
    print(f"  cd {shlex.quote(str(given.folder))} && snakemake figures/cone --config scale=smoke")
    return 0


def _profile(given: argparse.Namespace) -> int:
    from attnsvm.pipeline.cluster import profile

    print(profile.write(given.folder, given.times, given.cores, given.seconds, given.scale))
    return 0


if __name__ == "__main__":
    sys.exit(main())
