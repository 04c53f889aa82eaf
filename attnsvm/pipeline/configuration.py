"""The configuration: what the cards give, the user's changes laid over it, checked; errors in one sentence."""

import re
from functools import cache

from attnsvm.data.cells import COUNTED
from attnsvm.pipeline import ast_slice, cards, elsewhere
from attnsvm.pipeline.checking import first_error, related
from attnsvm.pipeline.hashes.cache import recall
from attnsvm.system import checksums
from attnsvm.system.errors import require
from attnsvm.system.untrusted import yaml_file

CHECKED_BY = [(cards.HERE / name).read_bytes() for name in ("configuration.py", "checking.py")]
# {setting of a run: its words, the usual one first}
CHOICES = {
    "scale": ("paper", "smoke"),
    "intermediates": ("keep", "drop"),  # what becomes of the files of a block once it is measured
    "arithmetic": ("portable", "native"),  # whose numbers: those of every x86-64-v3 processor, or of this one
}
RUN = re.compile(r"(?!smoke\Z)[A-Za-z0-9_-]{1,64}|")  # the name of a run is that of its folder in runs/
MORE = {"type": "number", "exclusiveMinimum": 0, "maximum": 1000}  # times the instances of variants, see elsewhere.py


def resolve(written: dict) -> dict:
    """The whole configuration: "scale", "intermediates", "arithmetic", "run", "elsewhere", "figures", and
    "experiments".

    The experiments are {name: {stage: {key: value}}}.

    Args:
        written: what the user wrote, any part of it.

    Raises:
        UserError: a key or a value that cannot be, by its name.
    """
    whole = schema()
    written = typed(written, whole)
    contents = repr((written, whole)).encode()
    wrong = recall((*CHECKED_BY, contents), lambda: first_error(written, whole))
    require(not wrong, f"config: {wrong}")
    modes = {name: written.get(name) or words[0] for name, words in CHOICES.items()}
    scale, run = modes["scale"], "" if written.get("run") is None else written["run"]
    named = isinstance(run, str) and RUN.fullmatch(run) is not None
    require(named, f"config: run: {run!r} is no name of a run: letters, digits, - and _, but no number, and not smoke")
    figures = _values(figure_settings(), scale) | (written.get("figures") or {})
    chosen = written.get("experiments") or {}
    experiments = {}
    for card in cards.experiments(optional=True):
        changes = chosen.get(card.name) or {}
        experiments[card.name] = {
            stage: dict(sorted((_values(settings, scale) | (changes.get(stage) or {})).items()))
            for stage, settings in card.settings.items()
            if settings
        }
        related(card.name, card.relations, experiments[card.name])
    others = {"run": run, "elsewhere": written.get("elsewhere") or 1}
    return modes | others | {"figures": figures, "experiments": experiments}


def typed(value, schema: dict):
    """The same with a number wherever a string says one and a number is wanted, and so with true and false.

    Snakemake gives the values of `--config 'figures={dpi: 72}'` as strings, and YAML 1.1 takes 1e-3 for one. Keys come
    in the order of the schema: jobs compare settings as Python writes them, and a JSON file may have sorted its keys.
    """
    if isinstance(value, dict):
        keys = schema.get("properties", {})
        ordered = [*(key for key in keys if key in value), *(key for key in value if key not in keys)]
        return {key: typed(value[key], keys.get(key, {})) for key in ordered}
    if isinstance(value, list):
        return [typed(item, schema.get("items", {})) for item in value]
    if isinstance(value, str) and schema.get("type") == "boolean":
        return {"true": True, "false": False}.get(value.strip().lower(), value)
    if isinstance(value, str) and schema.get("type") in ("integer", "number"):
        try:
            return int(value) if re.fullmatch(r"\s*[+-]?\d+\s*", value) or schema["type"] == "integer" else float(value)
        except ValueError:
            return value
    return value


def stage_settings(card: cards.Card, resolved: dict, stage: str) -> dict:
    """What a stage of an experiment is given, in an order that no edit of the card changes."""
    chosen = resolved["experiments"][card.base].get(stage, {})
    changed = variant(card, resolved).settings.get(stage, {}) if card.variant else {}
    return dict(sorted((card.fixed | chosen | changed).items()))


def variant(card: cards.Card, resolved: dict) -> elsewhere.Variant:
    """The variant of an experiment that the name of its card says."""
    return elsewhere.of(card, resolved["experiments"][card.base], resolved["scale"], resolved["elsewhere"])


def variants(name: str, resolved: dict) -> dict[str, elsewhere.Variant]:
    """The variants under which a figure's claims are tried: those of every experiment whose table it draws.

    Raises:
        UserError: the figure makes no claim, or a card says what it cannot.
    """
    card = cards.read(name)
    require(
        "claims" in card.modules, f"elsewhere/{name}: it makes no claim: there is no claims.py in {cards.place(name)}"
    )
    drawn = [
        elsewhere.variants(cards.read(one), resolved["experiments"][one], resolved["scale"], resolved["elsewhere"])
        for one in card.draws
    ]
    return {key: one for key, one in drawn[0].items() if all(key in other for other in drawn)} if drawn else {}


def block_settings(card: cards.Card, resolved: dict, stage: str) -> dict:
    """The settings of a stage for one block: without those that say how many seeds there are, which change no block."""
    whole = stage_settings(card, resolved, stage)
    return {key: value for key, value in whole.items() if stage != "problems" or key not in COUNTED}


def outside(card: cards.Card, resolved: dict) -> dict[str, str]:
    """{file: SHA-256} of the files that an experiment reads and this package does not have; mostly there are none.

    Raises:
        UserError: one is missing; the sentence says how to get it.
    """
    if "outside" not in card.modules:
        return {}
    files = ast_slice.function(card.modules["outside"], "files")(stage_settings(card, resolved, "problems"))
    return {file: _sha256(str(path), path.stat().st_mtime_ns) for file, path in sorted(files.items())}


@cache
def _sha256(path: str, changed: int) -> str:
    """The SHA-256 of a file, computed once per process unless its date changes."""
    return checksums.of(path)


def schema() -> dict:
    """The JSON schema of what a user may write, made from the cards."""
    experiments = {
        card.name: _object({stage: _properties(keys) for stage, keys in card.settings.items() if keys})
        for card in cards.experiments(optional=True)
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "attnsvm configuration",
        **_object(
            {name: {"enum": list(words)} for name, words in CHOICES.items()}
            | {
                "run": {},
                "elsewhere": MORE,
                "figures": _properties(figure_settings()),
                "experiments": _object(experiments),
            }
        ),
    }


def figure_settings() -> dict:
    """The settings that all figures share, as schemas."""
    return yaml_file(cards.HERE / "figures.yaml")


def _values(settings: dict, scale: str) -> dict:
    return {
        key: setting.get("smoke", setting["value"]) if scale == "smoke" else setting["value"]
        for key, setting in settings.items()
    }


def _object(properties: dict) -> dict:
    return {"type": ["object", "null"], "additionalProperties": False, "properties": properties}


def _properties(settings: dict) -> dict:
    return _object(
        {
            key: {k: v for k, v in setting.items() if k not in cards.OURS} | {"description": setting["text"]}
            for key, setting in settings.items()
        }
    )
