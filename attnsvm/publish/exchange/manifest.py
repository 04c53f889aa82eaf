"""What a bundle says of itself, in bundle.json: what was asked for, by which code it was made, and every file."""

import re
from dataclasses import asdict, dataclass
from pathlib import PurePosixPath

from attnsvm.errors import UserError
from attnsvm.pipeline import cards, modules, records
from attnsvm.pipeline.hashes.dependencies import code_of, module_files
from attnsvm.pipeline.plan import Plan

FORMAT = 1
PLAIN = re.compile(r"[\w.=-]+")  # what a name between two slashes is made of


@dataclass(frozen=True)
class Manifest:
    """What a bundle says of itself.

    Attributes:
        release, commit: of the code; the commit is None outside git.
        targets: that it was made of.
        scale: paper or smoke.
        config: the configuration of the figures, and of the experiments by name.
        scatter: the number of blocks at most, by experiment, where it is not the card's (--set-scatter).
        code: {source file: hash of what it does} of everything that its jobs run.
        machine, packages: what built it, as the provenance of figures has them.
        sizes, sha256: of every file, by its path in the folder of a build.
    """

    release: str
    commit: str | None
    targets: list[str]
    scale: str
    config: dict
    scatter: dict[str, int]
    code: dict[str, str]
    machine: dict
    packages: dict
    sizes: dict[str, int]
    sha256: dict[str, str]

    def index(self) -> dict:
        """As it is written."""
        return {"format": FORMAT, **asdict(self)}

    @classmethod
    def parse(cls, index: dict) -> "Manifest":
        """From what was read.

        Raises:
            ValueError: it is none, or names a place outside the results and figures of its scale.
        """
        if index.get("format") != FORMAT:
            raise ValueError(f"it has format {index.get('format')}, and this release reads {FORMAT}")
        try:
            found = cls(**{key: value for key, value in index.items() if key != "format"})
            sound = _sound(found)
        except (TypeError, AttributeError, KeyError) as error:
            raise ValueError(f"its list is not whole ({error})") from error
        if not sound:
            raise ValueError("its list is not whole")
        for path in found.sizes:
            if not _inside(path, found.at):
                raise ValueError(f"it names {path!r}, which is not a place for results")
        return found

    @property
    def at(self) -> str:
        """The folder of its scale."""
        return "" if self.scale == "paper" else f"{self.scale}/"


def _sound(one: Manifest) -> bool:
    """Whether everything that is used has its type."""
    sizes = all(isinstance(size, int) and size >= 0 for size in one.sizes.values())
    words = [*one.sha256.values(), *one.code.values(), *one.targets, *one.sizes, one.release]
    scattered = all(isinstance(count, int) for count in one.scatter.values())
    known = one.scale in ("paper", "smoke") and {"figures", "experiments"} == {*one.config}
    return sizes and scattered and known and all(isinstance(w, str) for w in words) and {*one.sizes} == {*one.sha256}


def _inside(path: str, at: str) -> bool:
    """Whether a path is plainly one of a build: no step upward, no hidden file but the records of other files."""
    own = path.removeprefix(at)
    parts = own.split("/")
    if not path.startswith(at) or parts[0] not in ("results", "figures") or len(parts) < 2:
        return False
    if not all(PLAIN.fullmatch(part) for part in parts) or PurePosixPath(own).is_absolute():
        return False
    if own.startswith(f"{records.TRAVELLING}/"):
        return len(parts) == 3 and _inside(records.output(parts[2]), at) and "/." not in records.output(parts[2])
    return not any(part.startswith(".") for part in parts)


def of_code(experiments: list[str], figures: list[str]) -> dict[str, str]:
    """{source file: hash of what it does} of all stages of experiments, of figures, and of their claims."""
    files = {file for name in figures for file in modules.files_behind(name)}
    files |= {file for name in experiments for file in module_files(*modules.of_stages(name))}
    claiming = [name for name in figures if name != "audit" and "claims" in cards.read(name).modules]
    if claiming:
        files |= {*module_files(*modules.of_claims(claiming))}
    return {file: code_of(file) for file in sorted(files)}


def scattered(plan: Plan, blocks: dict[str, set[str]], resolved: dict) -> dict[str, int]:
    """How many blocks were asked for, by experiment, where a build has other blocks than its cards give it.

    Raises:
        UserError: no number of blocks gives these.
    """
    found = {}
    for experiment, names in blocks.items():
        if names == {*plan.blocks(experiment)}:
            continue
        if names != {*Plan(resolved, {experiment: len(names)}).blocks(experiment)}:
            raise UserError(f"results/{experiment}: its blocks belong to no run: {', '.join(sorted(names))}")
        found[experiment] = len(names)
    return found
