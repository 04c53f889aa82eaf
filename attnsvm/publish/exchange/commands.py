"""The commands of `attnsvm` about builds: how they are called. What they do is imported when one is."""

import argparse
from pathlib import Path

from attnsvm.system.errors import shown


def add(commands) -> None:
    """Add the commands to those of `attnsvm`; `commands`: what `add_subparsers` returned."""
    _add_compare(commands)
    _add_bundle(commands)


def add_run(parser: argparse.ArgumentParser) -> None:
    """Say of which run, see `of_run`."""
    parser.add_argument("--run", default="", metavar="NAME", dest="name", help="of what --config run=NAME has built")


def of_run(name: str, folder: Path) -> Path:
    """Where the build lies that a run with a name has left in a folder; "": the folder itself."""
    from attnsvm.pipeline import configuration, plan

    return folder / plan.folder(configuration.resolve({"run": name}))


def _add_compare(commands) -> None:
    parser = commands.add_parser("compare", help="compare the numbers of every figure with the release")
    parser.description = (
        "Compares figures/*.csv with the numbers of the release, and reads the claims again. Status 1 where numbers or "
        "verdicts differ, or nothing was compared. docs/exchange.md says what counts as the same."
    )
    add = parser.add_argument
    add("folder", nargs="?", type=Path, default=Path("."), metavar="FOLDER", help="of the build; default: this one")
    add_run(parser)
    add("--reference", type=Path, metavar="FILE", help="default: the one that comes with the package")
    add("--write-reference", action="store_true", help="make a reference from this build, for a release")
    add(
        "--also",
        nargs="+",
        type=Path,
        default=[],
        metavar="FOLDER",
        help="with --write-reference: builds on other processors, which say how far numbers move",
    )
    parser.set_defaults(run=_compare)


def _compare(given: argparse.Namespace) -> int:
    from attnsvm.pipeline.log_format import listed
    from attnsvm.publish.exchange import compare, reference

    path = given.reference or reference.SHIPPED
    if given.write_reference:
        from attnsvm.publish.exchange import release

        made = release.make(given.folder, given.also, path)
        print(f"{path}: {len(made.figures)} figures, {len(made.verdicts)} verdicts, seen in {made.builds} builds")
        return 0
    numbers = reference.read(path)
    print(shown(f"reference: attnsvm {numbers.release}, {numbers.machine['cpu']}, Python {numbers.packages['python']}"))
    found = compare.compare(numbers, of_run(given.name, given.folder))
    width = max(map(len, numbers.figures), default=0)
    for one in found:
        if one.outcome != compare.ABSENT:
            print(*map(shown, one.lines(width)), sep="\n")
    if absent := [one.name for one in found if one.outcome == compare.ABSENT]:
        print(f"not built: {listed(absent)}")
    print(compare.summary(found))
    compared = any(one.outcome not in (compare.ABSENT, compare.OTHER) for one in found)
    return 0 if compared and all(one.reproduced for one in found) else 1


def _add_bundle(commands) -> None:
    parser = commands.add_parser("bundle", help="put the results of targets into one archive, for another machine")
    parser.description = "What `tar -x` makes of it in a clone of the same code is up to date. docs/exchange.md"
    parser.add_argument("targets", nargs="+", metavar="TARGET", help="figures/layers, figures/all, audit, ...")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE.tar.gz")
    parser.add_argument("--scale", choices=("paper", "smoke"), default="paper", help="default: paper")
    add_run(parser)
    parser.set_defaults(run=_bundle)


def _bundle(given: argparse.Namespace) -> int:
    from attnsvm.publish.exchange import bundle
    from attnsvm.system import checksums

    files = bundle.write(given.targets, given.out, given.scale, run=given.name)
    size = sum(Path(file).stat().st_size for file in files)
    print(f"{given.out}: {len(files)} files, {size / 1e6:.1f} MB unpacked; in a clone: tar -xf {given.out.name}")
    print(f"SHA-256: {checksums.of(given.out)}")
    return 0
