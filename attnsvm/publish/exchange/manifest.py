"""What a bundle says of itself, in bundle.json: what was asked for, by which code it was made, and every file."""

from dataclasses import asdict, dataclass

from attnsvm.pipeline import blocks, cards, modules
from attnsvm.pipeline.checking import first_error
from attnsvm.pipeline.hashes.dependencies import code_of, module_files
from attnsvm.pipeline.plan import Plan
from attnsvm.system.errors import UserError

FORMAT = 2
WORD, SUM = {"type": "string", "pattern": r"^[\w.+-]{1,80}\Z"}, {"type": "string", "pattern": r"^[0-9a-f]{64}\Z"}
PATH = r"^[\w./+=-]{1,200}\Z"


def _object(properties: dict) -> dict:
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


def _every(key: str, value: dict) -> dict:
    return {"type": "object", "propertyNames": {"pattern": key}, "additionalProperties": value}


FILE = _object(
    {
        "size": {"type": "integer", "minimum": 0, "maximum": 10**15},
        "sha256": SUM,
        "inputs": {"type": "array", "items": {"type": "string", "pattern": PATH}},
        "params": SUM,
    }
)
SCHEMA = _object(
    {
        "format": {"const": FORMAT},
        "release": WORD,
        "commit": {"anyOf": [{"type": "null"}, {"type": "string", "pattern": r"^[0-9a-f]{40,64}\Z"}]},
        "targets": {"type": "array", "items": {"type": "string", "pattern": r"^(audit|figures/\w{1,80})\Z"}},
        "scale": {"enum": ["paper", "smoke"]},
        "config": _object(
            {
                "figures": {"type": "object"},
                "experiments": _every(r"^\w{1,80}\Z", _every("", {"type": "object"})),
            }
        ),
        "scatter": _every(r"^\w{1,80}\Z", {"type": "integer", "minimum": 1, "maximum": blocks.MOST}),
        "code": _every(PATH, SUM),
        "files": _every(r"^[^\n]{1,300}\Z", FILE),
    }
)


@dataclass(frozen=True)
class File:
    """What is said of a file.

    Attributes:
        size, sha256: of its bytes.
        inputs: the files it was made from.
        params: the hash of what its job was given, see `lineage.digest`.
    """

    size: int
    sha256: str
    inputs: tuple[str, ...]
    params: str


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
        files: by their paths in the folder of a build.
    """

    release: str
    commit: str | None
    targets: list[str]
    scale: str
    config: dict
    scatter: dict[str, int]
    code: dict[str, str]
    files: dict[str, File]

    def index(self) -> dict:
        """As it is written."""
        return {"format": FORMAT, **asdict(self)}

    @classmethod
    def parse(cls, index) -> "Manifest":
        """From what was read, whatever that is.

        Raises:
            ValueError: it is none.
        """
        if isinstance(index, dict) and index.get("format") != FORMAT:
            raise ValueError(f"it has format {str(index.get('format'))[:20]}, and this release reads {FORMAT}")
        if wrong := first_error(index, SCHEMA):
            raise ValueError(f"its list is not whole ({wrong[:200]})")
        files = {path: File(**one | {"inputs": (*one["inputs"],)}) for path, one in index["files"].items()}
        return cls(**{key: value for key, value in index.items() if key != "format"} | {"files": files})

    @property
    def at(self) -> str:
        """The folder of its scale."""
        return "" if self.scale == "paper" else f"{self.scale}/"

    @property
    def listed(self) -> dict[str, tuple[int, str]]:
        """Size and SHA-256 of every file."""
        return {path: (file.size, file.sha256) for path, file in self.files.items()}


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
