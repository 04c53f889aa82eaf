"""The experiments, found by being there: every folder with a card.yaml below `attnsvm/experiments`, or below
`experiments` beside the Snakefile, where a user's own are.

The outermost folder is the section of an experiment, here and in every document. What sharpens an experiment's claim
lies inside the folder of that experiment.

A card gives the title of its experiment, the settings and the meaning of the numbers. Modules in the folder are stages:
problems.py, descent.py, svm.py and measures.py; figure.py draws the table, claims.py reads it. A stage without a
module has no job. A card that says `problems: NAME` takes the module NAME of attnsvm/data/grids for problems.py. A card
that says `like: other` takes missing stages and settings from the other card; with a caption, it takes the figure too,
and where it has no columns of its own, the columns.

An estimate of a table has a value, the ends of its interval, how many instances it is over, and the name of the
interval. A card that says what `value` and `instances` mean need not say what the other three do.

An experiment whose card says `optional: why` is built only on request: `figures/all` and `audit` leave it out.
It may read files that do not come with this package; outside.py names them.

`unseen` names further sets of seeds, on which what holds instead of a failing claim is asked. Such a set is read as an
experiment of that name in the same folder: with the same modules and other settings, results and a figure of its own,
and of the folder's claims those that are declared `on` it. What the set has of its own, such as a caption, stands in
its place; stages and a figure of its own are modules in a folder of its name. A set of other `fixed` settings alone is
of the same seeds: other figures draw it.

`elsewhere/NAME/VARIANT` names the experiment NAME under other settings (elsewhere.py): it has the same card, its own
folder of results, and no figure.
"""

import importlib
import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import attnsvm.experiments
from attnsvm.pipeline.checking import first_error, schema_error
from attnsvm.pipeline.hashes.cache import recall
from attnsvm.pipeline.hashes.dependencies import HOME, USERS
from attnsvm.pipeline.log_format import meant
from attnsvm.system import untrusted
from attnsvm.system.errors import UserError, require
from attnsvm.system.lazy import modules_in
from attnsvm.system.untrusted import yaml_file, yaml_of

if TYPE_CHECKING:
    from attnsvm.audit.evaluation import Claim

HERE = Path(__file__).resolve().parent
FOLDER, GRIDS = HERE.parent / "experiments", HERE.parent / "data" / "grids"
OWN = HOME / USERS  # the folder of a user's experiments
attnsvm.experiments.__path__.append(str(OWN))
LINE_END = re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")  # every kind that Unicode has
OURS = ("value", "smoke", "text", "kind")  # keys of a setting that are not JSON schema
STAGES = ("problems", "descent", "svm", "measures")
SCALES = ("value", "smoke")  # of a setting; what has no value for a smoke run has the same there
# Checking every card takes a third of a second. What was found right follows from the card and from these files.
CHECKED_BY = [
    Path(untrusted.__file__).read_bytes(),
    *((HERE / name).read_bytes() for name in ("cards.py", "checking.py", "card.schema.yaml", "types.yaml")),
]
OTHERS = ("figure", "claims", "outside")
ON_REQUEST = "What holds instead stands in the audit of `snakemake figures/{}`, which is optional."
UNSEEN = "unseen"  # the key of a card under which it names further sets of seeds
ELSEWHERE = "elsewhere"  # begins the names of experiments under other settings
# The folders of the experiments, in their order, and what their figures show.
SECTIONS = {
    "paper": "The paper",
    "own": "Our own questions",
    "beyond": "Beyond the paper",
    "real": "Real attention",
    "summaries": "What summaries say of the paper",
    "literature": "The literature",
}
# The columns of an estimate that mean the same in every table, and the columns that they come after.
ESTIMATE = {
    "value": {"low": "Lower end of the interval.", "high": "Upper end of the interval."},
    "instances": {"interval": "Which interval; empty where the value has none."},
}
JSON_TYPES = ("integer", "number", "string", "boolean", "array", "object", "null")


@dataclass(frozen=True)
class Card:
    """One experiment's card, completed from the card that it is like.

    Attributes:
        name: of the folder.
        title: what the figure shows, in half a sentence.
        section: a key of `SECTIONS`, the outermost folder that it lies in.
        parent: the experiment in whose folder it lies, of which it sharpens a claim; "" where there is none.
        on: the set of unseen seeds of `parent` that this is; "" for an experiment with a card of its own.
        order: its place among the experiments.
        seconds: how long `snakemake figures/<name>` takes from clean on two cores, as last measured; None: unknown.
        optional: why `figures/all` and `audit` leave it out, in half a sentence; "" where they do not.
        fixed: settings of every stage that no user changes.
        draws: the experiments whose tables its figure draws, usually itself; () without a figure.
        blocks: the number of blocks of its instances.
        settings: {stage: {key: JSON schema with `value`, perhaps `smoke`, `text`, and the `kind` of types.yaml}}.
        relations: [{"below" | "at_most" | "same_length": [two keys "stage.key"]}].
        caption: what is drawn and of how many instances, in 90 words; a template over the settings (Jinja).
        notes: the method and what the csv has besides, for the site and the report.
        columns: what each column of the csv means, with its unit.
        elsewhere: what the card says of other settings, see elsewhere.py.
        variant: the name of other settings under which this is the experiment; "": under its own.
        modules: {a stage or one of `OTHERS`: dotted name of its module}; a missing one has no module.
    """

    name: str
    title: str
    section: str
    parent: str
    order: int
    seconds: int | None
    optional: str
    fixed: dict
    draws: tuple[str, ...]
    blocks: int
    settings: dict[str, dict[str, dict]]
    relations: list[dict[str, list[str]]]
    caption: str
    notes: str
    columns: dict[str, str]
    elsewhere: dict
    modules: dict[str, str]
    variant: str = ""
    on: str = ""

    @property
    def base(self) -> str:
        """The name of the experiment under its own settings."""
        return of_variant(self.name)[0]

    @property
    def is_experiment(self) -> bool:
        """Whether something is measured, and not only drawn or claimed."""
        return "measures" in self.modules

    @property
    def stages(self) -> tuple[str, ...]:
        """The stages that have a job, in their order."""
        return tuple(stage for stage in STAGES if stage in self.modules)

    @property
    def claims(self) -> "tuple[Claim, ...]":
        """The claims that its table decides; those of unseen seeds name these, those sharpened there the optional card.

        Raises:
            UserError: one is asked on seeds that the card does not name.
        """
        if "claims" not in self.modules:
            return ()
        every, sets = self.module("claims").CLAIMS, {"", *_load(self.base).get(UNSEEN, {})}
        for claim in every:
            where = f"{place(self.base)}/claims.py: {claim.key}"
            require(claim.on in sets, f"{where}: card.yaml names no unseen seeds {claim.on!r}")
        own = tuple(claim for claim in every if claim.on == self.on)
        if not self.on:
            asked = {
                claim.sharpens: ON_REQUEST.format(claim.on) for claim in every if claim.on and read(claim.on).optional
            }
            return tuple(replace(claim, unsharpened=asked.get(claim.key, claim.unsharpened)) for claim in own)
        require(bool(own), f"{_where(self.base)}: no claim of claims.py says on={self.on!r}")
        seeds = _seeds(self, "value")
        return tuple(replace(claim, seeds=(seeds[0], seeds[-1])) for claim in own)

    def module(self, part: str) -> ModuleType:
        """Import the module of a stage, or another module of the folder, such as "figure"."""
        return importlib.import_module(self.modules[part])


@cache
def read(name: str) -> Card:
    """The card of one experiment.

    Raises:
        UserError: there is no such experiment, or its card is wrong.
    """
    first, variant = of_variant(name)
    if variant:
        return replace(read(first), name=name, variant=variant)
    known = names()
    if name not in known:
        raise UserError(unknown_name(name, known))
    content, home = _load(name), folders()[name].name
    if home != name:
        return _on_unseen(name, read(home), content[UNSEEN][name])
    base = content.get("like")
    other_card = base in known and base != name and folders()[base].name == base
    require(base is None or other_card, f"{_where(name)}: like: there is no experiment {base!r}")
    other = _load(base) if base else {}
    modules = _modules(base, STAGES, other) if base else {}
    if base:
        whole = "like" not in other and "problems" in modules
        require(whole, f"{_where(name)}: like: {base!r} has no stages: name the experiment that has them")
    if base and "caption" in content and _has(base, "figure"):
        several = "draws" in other and "draws" not in content
        require(not several, f"{_where(name)}: draws: expected the tables of this figure: that of {base!r} has several")
        modules["figure"] = _module(base, "figure")
    modules |= _modules(name, (*STAGES, *OTHERS), content)
    stages = [part for part in STAGES if part in modules]
    drawn = not stages or "problems" in stages
    require(drawn, f"{_where(name)}: the other stages need a problems.py, or `problems: NAME`")
    settings = {
        stage: other.get("settings", {}).get(stage, {}) | content.get("settings", {}).get(stage, {}) for stage in STAGES
    }
    card = Card(
        name=name,
        title=LINE_END.sub(" ", content["title"]),
        section=_section(name),
        parent=_parent(name),
        order=content["order"],
        seconds=content.get("seconds"),
        optional=LINE_END.sub(" ", content.get("optional", "")),
        fixed=other.get("fixed", {}) | content.get("fixed", {}),
        draws=tuple(content.get("draws", [name])) if "figure" in modules else (),
        blocks=content.get("blocks", other.get("blocks", 1)),
        settings=_settings(name, settings),
        relations=other.get("relations", []) + content.get("relations", []),
        caption=LINE_END.sub("\n", content.get("caption", "")),
        notes=LINE_END.sub("\n", content.get("notes", "")),
        columns=_columns(content.get("columns") or other.get("columns", {})),
        elsewhere=other.get(ELSEWHERE, {}) | content.get(ELSEWHERE, {}),
        modules=modules,
    )
    _complete(card)
    return card


def _on_unseen(name: str, first: Card, said: dict) -> Card:
    """An experiment on a further set of seeds; `said`: what its card says of this set."""
    where, given, settings = _where(name), said.get("settings", {}), {of: {**own} for of, own in first.settings.items()}
    alone = "fixed" in said and not given  # the same seeds: other figures draw it, and no claim is asked on it
    require(alone or "first_seed" in given.get("problems", {}), f"{where}: problems.first_seed is missing")
    require(first.draws in ((), (first.name,)), f"{where}: the figure of {first.name} draws several tables")
    known = [f"{stage}.{key}" for stage, keys in settings.items() for key in keys]
    for stage, values in given.items():
        for key, value in values.items():
            require(key in settings[stage], f"{where}: settings: {unknown_name(f'{stage}.{key}', known, 'setting')}")
            kept = {word: of for word, of in settings[stage][key].items() if (key, word) != ("first_seed", "smoke")}
            settings[stage][key] = kept | {"value": value}
    own = [part for part in (*STAGES, "figure") if (folders()[name] / name / f"{part}.py").exists()]
    modules = first.modules | {part: _module(name, f"{name}.{part}") for part in own}
    again = f"The figure {first.name} on unseen seeds, from {{{{ problems.first_seed }}}} on. {first.caption}"
    card = replace(
        first,
        name=name,
        title=LINE_END.sub(" ", said.get("title", f"{first.title}, on unseen seeds")),
        parent=first.name,
        on=name,
        seconds=said.get("seconds"),
        optional=LINE_END.sub(" ", said.get("optional", first.optional)),
        fixed=first.fixed | said.get("fixed", {}),
        draws=(name,) if first.draws and not alone else (),
        blocks=said.get("blocks", first.blocks),
        settings=_settings(name, settings),
        caption="" if alone else LINE_END.sub("\n", said.get("caption", again)),
        notes=LINE_END.sub("\n", said.get("notes", "")),
        columns=_columns(said["columns"]) if "columns" in said else first.columns,
        elsewhere=first.elsewhere | said.get(ELSEWHERE, {}),
        modules={part: module for part, module in modules.items() if not alone or part in STAGES},
    )
    for scale, first_scale in itertools.product(SCALES, SCALES if not alone else ()):
        both = {*_seeds(card, scale)} & {*_seeds(first, first_scale)}
        require(
            not both, f"{where}: {first.name} has the seed {min(both, default=0)} too: begin with a later first_seed"
        )
    _complete(card)
    return card


def _seeds(card: Card, scale: str) -> range:
    """The seeds of an experiment whose cells begin with the same; `scale`: "value" or "smoke"."""
    given = {key: setting.get(scale, setting["value"]) for key, setting in card.settings["problems"].items()}
    count = given.get("instances", given.get("candidates", 1))
    return range(given["first_seed"], given["first_seed"] + (max(count) if isinstance(count, list) else count))


def of_variant(name: str) -> tuple[str, str]:
    """The experiment of a name, and the variant that it names; "" where it names none."""
    first, *rest = name.split("/")
    return (rest[0], rest[1]) if first == ELSEWHERE and len(rest) == 2 else (name, "")


def _columns(meanings: dict[str, str]) -> dict[str, str]:
    """The meaning of every column, those of an estimate too, in the order in which they are best read."""
    if not ESTIMATE.keys() <= meanings.keys():
        return meanings
    return {
        column: meanings.get(column, text)
        for name, meaning in meanings.items()
        for column, text in ({name: meaning} | ESTIMATE.get(name, {})).items()
    }


def _modules(name: str, parts: Sequence[str], content: dict) -> dict[str, str]:
    """The modules of those parts that an experiment's folder has; its card says where to find problems elsewhere."""
    modules = {part: _module(name, part) for part in parts if _has(name, part)}
    if "problems" in content:
        grid, known = content["problems"], [one for one in modules_in(GRIDS) if one[0] != "_"]
        require(grid in known, f"{_where(name)}: problems: {unknown_name(grid, known, 'grid')}")
        require(
            "problems" not in modules, f"{_where(name)}: problems: there is a problems.py too: leave one of them out"
        )
        modules["problems"] = f"attnsvm.data.grids.{grid}"
    return modules


def unknown_name(name: str, known: Sequence[str], kind: str = "experiment") -> str:
    """A sentence for a name that is not among the known ones, with the one that was meant where one is close."""
    return f"unknown {kind} {name!r}: {meant(name, known)}"


@cache
def names() -> tuple[str, ...]:
    """The names of all folders with a card, sorted.

    Raises:
        UserError: two folders have the same name.
    """
    return tuple(folders())


@cache
def folders() -> dict[str, Path]:
    """The folder of every experiment, by name and sorted by it; of unseen seeds, that of their experiment.

    Raises:
        UserError: two have the same name, or a module beside it has.
    """
    places: dict[str, Path] = {}
    for card in sorted(FOLDER.rglob("card.yaml")) + sorted(OWN.rglob("card.yaml")):
        folder = card.parent
        taken = f"{_file(folder)}: {_file(places.get(folder.name, folder))} has this name: choose another"
        require(folder.name not in places, taken)
        module = folder.with_suffix(".py")
        require(not module.exists(), f"{_file(folder)}: {_file(module)} has this name: choose another")
        places[folder.name] = folder
    for folder in [*places.values()]:
        for name in _content(folder).get(UNSEEN, {}) if UNSEEN.encode() in _text(folder) else ():
            taken = f"{_file(folder)}/card.yaml: {UNSEEN}: {_file(places.get(name, folder))} has the name {name!r}"
            require(name not in places, f"{taken}: choose another")
            places[name] = folder
    return dict(sorted(places.items()))


def place(name: str) -> str:
    """The folder of an experiment from that of the Snakefile: "attnsvm/experiments/own/cone", "experiments/mine"."""
    return _file(folders()[name])


@cache
def every() -> tuple[Card, ...]:
    """All cards, in the order they ask for."""
    # Unseen seeds stand behind their experiment.
    at = {card.name: (card.order, card.parent if card.on else card.name, card.on) for card in map(read, names())}
    return tuple(read(name) for name in sorted(at, key=at.__getitem__))


def experiments(optional: bool = False) -> tuple[Card, ...]:
    """The cards with measures; optional cards only where they are asked for."""
    return tuple(card for card in _listed(optional) if card.is_experiment)


def figures(optional: bool = False) -> tuple[Card, ...]:
    """The cards with a figure; optional cards only where they are asked for."""
    return tuple(card for card in _listed(optional) if card.draws)


def claiming(optional: bool = False) -> tuple[Card, ...]:
    """The cards with claims; optional cards, which have a separate audit, only where they are asked for."""
    return tuple(card for card in _listed(optional) if "claims" in card.modules)


def optional() -> tuple[Card, ...]:
    """The cards that are built only where they are asked for."""
    return tuple(card for card in every() if card.optional)


def _listed(optional: bool) -> tuple[Card, ...]:
    return tuple(card for card in every() if optional or not card.optional)


def sections(optional: bool = False) -> dict[str, list[Card]]:
    """The cards that have a figure by the heading of their section; see `figures`."""
    drawn = figures(optional)
    headed = {heading: [card for card in drawn if card.section == name] for name, heading in SECTIONS.items()}
    return {heading: members for heading, members in headed.items() if members}


@cache
def types() -> dict[str, dict]:
    """The kinds of settings that cards may name."""
    return yaml_file(HERE / "types.yaml")


def _load(name: str) -> dict:
    """What the card of an experiment says; on unseen seeds, what it says of them stands above the rest."""
    folder = folders()[name]
    content = _content(folder)
    return content if folder.name == name else content | content[UNSEEN][name]


def _content(folder: Path) -> dict:
    text = _text(folder)
    return recall((*CHECKED_BY, text), lambda: _checked(f"{_file(folder)}/card.yaml", text))


def _text(folder: Path) -> bytes:
    return (folder / "card.yaml").read_bytes()


def _checked(where: str, text: bytes) -> dict:
    content = yaml_of(text, where)
    require(content is not None, f"{where}: it is empty; docs/experiment.md describes a card")
    wrong = first_error(content, yaml_file(HERE / "card.schema.yaml"))
    require(not wrong, f"{where}: {wrong}")
    return content


def _settings(name: str, written: dict[str, dict]) -> dict[str, dict[str, dict]]:
    """The schemas of the settings by stage; `written`: what the card says, and the one it is like."""
    return recall(
        (*CHECKED_BY, repr(written).encode()),
        lambda: {
            stage: {k: _setting(name, f"{stage}.{k}", value) for k, value in keys.items()}
            for stage, keys in written.items()
        },
    )


def _setting(experiment: str, key: str, written: dict) -> dict:
    """A setting's schema: that of the type it names, and over it what the card says; `key` is "stage.name"."""
    kind = written.get("type")
    if isinstance(kind, str):
        known = [*types(), *JSON_TYPES]
        require(kind in known, f"{_where(experiment)}: settings: {key}: {unknown_name(kind, known, 'type')}")
    named = types().get(kind) if isinstance(kind, str) else None
    setting = named | {k: v for k, v in written.items() if k != "type"} | {"kind": kind} if named else written
    for needed in ("value", "text"):
        require(needed in setting, f"{_where(experiment)}: settings: {key}: the key {needed!r} is missing")
    schema = {name: rule for name, rule in setting.items() if name not in OURS}
    wrong = schema_error(schema)
    require(not wrong, f"{_where(experiment)}: settings: {key}: {wrong}")
    for scale in {"value", "smoke"} & set(setting):
        wrong = first_error(setting[scale], schema)
        require(not wrong, f"{_where(experiment)}: settings: {key}: {scale}: {wrong}")
    return setting


def _complete(card: Card) -> None:
    """What only the card and its folder together show to be missing."""
    where = _where(card.name)
    for stage in ("descent", "svm"):
        require(not card.settings[stage] or stage in card.modules, f"{where}: settings: there is no {stage}.py to set")
    if card.is_experiment or card.draws:
        require(bool(card.modules.get("measures") or card.draws != (card.name,)), f"{where}: there is no measures.py")
    if "outside" in card.modules:
        require(
            bool(card.optional), f"{where}: the key 'optional' is missing: outside.py names files that may be missing"
        )
    for other in card.draws:
        require(other in names(), f"{where}: draws: there is no experiment {other!r}")
        built = bool(card.optional) or not _load(other).get("optional")
        require(built, f"{where}: draws: {other!r} is optional, so this experiment must be optional too")
        measured = _has(other, "measures") or "like" in _load(other)
        require(measured, f"{where}: draws: {other!r} measures nothing: it has no table to draw")
    if card.draws:
        require(bool(card.caption), f"{where}: the key 'caption' is missing")
        require(bool(card.columns), f"{where}: the key 'columns' is missing: say what each column of the csv means")
    for relation in card.relations:
        ((kind, keys),) = relation.items()
        values = []
        for key in keys:
            stage, _, name = key.partition(".")
            require(name in card.settings.get(stage, {}), f"{where}: relations: there is no setting {key!r}")
            values.append(card.settings[stage][name]["value"])
        lists = [isinstance(value, list) for value in values]
        numbers = [isinstance(value, int | float) for value in values]
        fits = {"below": all(numbers), "at_most": numbers[0] and (numbers[1] or lists[1]), "same_length": all(lists)}
        require(fits[kind], f"{where}: relations: {kind} cannot compare {keys[0]} with {keys[1]}")


def _has(name: str, part: str) -> bool:
    return (folders()[name] / f"{part}.py").exists()


def _module(name: str, part: str) -> str:
    """The dotted name of a module of an experiment."""
    return ".".join(("attnsvm", "experiments", *_inside(folders()[name]).parts, part))


def _section(name: str) -> str:
    if OWN in folders()[name].parents:
        return "own"
    section, *inside = _inside(folders()[name]).parts
    known = section in SECTIONS and bool(inside)
    require(known, f"{_where(name)}: an experiment lies in the folder of a section: {', '.join(SECTIONS)}")
    return section


def _parent(name: str) -> str:
    above = folders()[name].parent
    return above.name if (above / "card.yaml").exists() else ""


def _inside(path: Path) -> Path:
    """The path of a folder in that of the experiments."""
    return path.relative_to(OWN if OWN in path.parents else FOLDER)


def _file(path: Path) -> str:
    return f"{USERS if OWN in path.parents else 'attnsvm/experiments'}/{_inside(path)}"


def _where(name: str) -> str:
    """The place in a card that an error is about; of unseen seeds, what the card says of them."""
    return f"{place(name)}/card.yaml" + (f": {UNSEEN}: {name}" if folders()[name].name != name else "")
