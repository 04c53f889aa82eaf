"""The commands of `attnsvm` about builds: how they are called. What they do is imported when one is."""

import argparse
import math
import shlex
from pathlib import Path

from attnsvm.system.errors import shown


def add(commands) -> None:
    """Add the commands to those of `attnsvm`; `commands`: what `add_subparsers` returned."""
    _add_compare(commands)
    _add_bundle(commands)
    _add_unbundle(commands)


def _add_compare(commands) -> None:
    parser = commands.add_parser("compare", help="compare the numbers of every figure with the release")
    parser.description = (
        "Compares figures/*.csv with the numbers of the release, and reads the claims again. Status 1 where numbers or "
        "verdicts differ, or nothing was compared. docs/exchange.md says what counts as the same."
    )
    add = parser.add_argument
    add("folder", nargs="?", type=Path, default=Path("."), metavar="FOLDER", help="of the build; default: this one")
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
    found = compare.compare(numbers, given.folder)
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
    parser = commands.add_parser("bundle", help="put the results of targets into one file, for another machine")
    parser.description = "Snakemake takes what `attnsvm unbundle` makes of the file for up to date. docs/exchange.md"
    parser.add_argument("targets", nargs="+", metavar="TARGET", help="figures/layers, figures/all, audit, ...")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE.tar.zst")
    parser.add_argument("--scale", choices=("paper", "smoke"), default="paper", help="default: paper")
    parser.set_defaults(run=_bundle)


def _bundle(given: argparse.Namespace) -> int:
    from attnsvm.publish.exchange import bundle
    from attnsvm.system import checksums

    made = bundle.write(given.targets, given.out, given.scale)
    size = sum(file.size for file in made.files.values())
    print(f"{given.out}: {len(made.files)} files, {size / 1e6:.1f} MB unpacked")
    print(f"SHA-256: {checksums.of(given.out)}")
    return 0


def _add_unbundle(commands) -> None:
    parser = commands.add_parser("unbundle", help="take the results out of a bundle, if this code would have made them")
    parser.description = (
        "Run in a clone of the commit that made it; bundles of other seeds are merged. docs/exchange.md"
    )
    parser.add_argument("bundles", nargs="+", type=Path, metavar="FILE.tar.zst")
    parser.add_argument("--configfile", type=Path, metavar="FILE", help="as Snakemake's; default: config/config.yaml")
    size = "largest size of what is unpacked; default: 10"
    parser.add_argument("--limit", type=_gigabytes, default=10 * 10**9, metavar="GB", help=size)
    parser.set_defaults(run=_unbundle)


def _gigabytes(text: str) -> int:
    """A size in bytes."""
    try:
        size = float(text)
    except ValueError:
        size = math.nan
    if not 0 < size < math.inf:
        raise argparse.ArgumentTypeError(f"expected a size in GB, as 10, got {text!r}")
    return int(size * 1e9)


def _unbundle(given: argparse.Namespace) -> int:
    from attnsvm.publish.exchange import unbundle
    from attnsvm.system.errors import shown

    for path in given.bundles:
        taken = unbundle.read(path, configfile=given.configfile, limit=given.limit)
        made = taken.manifest
        what = "" if taken.whole else "; its seeds are some of yours: blocks are taken, tables and figures are not"
        count = f"{len(taken.files)} new files" if taken.files else "no new file, all are here"
        print(f"{shown(path)}: {count}; made by attnsvm {made.release}{what}")
        command = ["snakemake", *made.targets]
        command += (
            ["--set-scatter", *(f"{name}={count}" for name, count in made.scatter.items())] if made.scatter else []
        )
        command += ["--configfile", str(given.configfile)] if given.configfile else []
        command += ["--config", f"scale={made.scale}"] if made.scale != "paper" else []
        print(f"run: {shown(shlex.join(command))}")
    return 0
