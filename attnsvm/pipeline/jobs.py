"""What each job reads beside its settings: the files of earlier stages, and the hash of the code that it runs."""

import hashlib
from functools import cache

from attnsvm import checksums
from attnsvm.data.cells import COUNTED
from attnsvm.errors import require
from attnsvm.pipeline import cards
from attnsvm.pipeline.configuration import stage_settings
from attnsvm.pipeline.hashes.dependencies import ROOT, digest, module_files

AUDIT = ("attnsvm.audit.table", "attnsvm.audit.pages")
AUDIT_TEMPLATES = ("attnsvm/audit/page.html.j2", "attnsvm/audit/page.md.j2")
REPORT_TEMPLATES = tuple(
    f"attnsvm/publish/documents/templates/{name}.html.j2" for name in ("figure", "audit_overview", "audit_pictures")
)
# {what writes other files: (its modules, texts that they read)}
WRITERS = {
    "audit_figure": (("attnsvm.audit.figure", "attnsvm.plots.style"), ()),
    "crate": (("attnsvm.publish.exchange.crate",), ("CITATION.cff",)),
    "provenance": (("attnsvm.pipeline.provenance",), ("attnsvm/pipeline/provenance.schema.yaml",)),
    "report": (("attnsvm.publish.documents.report",), REPORT_TEMPLATES),
    "standalone": (("attnsvm.pipeline.standalone",), ()),
}
SHOWN = ("*.md", "docs/*", "attnsvm/**/*", "config/*", "profiles/**/*", "Dockerfile", ".github/workflows/*")
# What of attnsvm/pipeline/running decides over a stage's numbers: how blocks are put together.
ALSO_RUN = {"measures": ("attnsvm.pipeline.running.gathering",)}


def earlier(card: cards.Card, stage: str) -> tuple[str, ...]:
    """The stages whose files a stage of the experiment reads.

    Raises:
        UserError: the experiment does not have the stage.
    """
    require(stage in card.stages, f"{card.name} has no {stage}: its stages are {', '.join(card.stages)}")
    before = card.stages[: card.stages.index(stage)]
    return before[:1] if stage == "descent" else before


def stage_modules(card: cards.Card, stage: str) -> tuple[str, ...]:
    """The modules that decide over the numbers of a stage."""
    return card.modules[stage], *ALSO_RUN.get(stage, ())


def figure_modules(card: cards.Card) -> tuple[str, ...]:
    """The modules that draw a figure."""
    return card.modules["figure"], "attnsvm.plots.style"


def claims_modules(*experiments: str) -> tuple[str, ...]:
    """The modules that check the claims: those of every run, or those of some experiments."""
    claiming = [cards.read(name) for name in experiments] if experiments else cards.claiming()
    return *AUDIT, *(card.modules["claims"] for card in claiming)


def stage_code(name: str, stage: str, arithmetic: str = "portable") -> str:
    """The hash of the code that a stage of an experiment runs, and whose arithmetic it has (running/arithmetic.py)."""
    code = digest(*stage_modules(cards.read(name), stage))
    return hashlib.sha256(f"{code} {arithmetic}".encode()).hexdigest()


def block_settings(name: str, stage: str, resolved: dict) -> dict:
    """The settings of a stage for one block: without those that say how many seeds there are, which change no block.

    Args:
        resolved: the whole configuration.
    """
    whole = stage_settings(cards.read(name), resolved, stage)
    return {key: value for key, value in whole.items() if stage != "problems" or key not in COUNTED}


def history(name: str, stages: tuple[str, ...], resolved: dict, parts: list | None = None) -> str:
    """A hash of what some stages of an experiment are asked for, and of the code that they run.

    Args:
        resolved: the whole configuration.
        parts: of one block, see `blocks.cut`; None: of all.
    """
    card = cards.read(name)
    asked = []
    for stage in stages:
        one = stage_settings(card, resolved, stage) if parts is None else block_settings(name, stage, resolved)
        asked.append((stage, one, stage_code(name, stage, resolved["arithmetic"])))
    return hashlib.sha256(repr((asked, parts)).encode()).hexdigest()


def figure_code(figure: str) -> str:
    """The hash of the code that draws a figure."""
    return digest(*figure_modules(cards.read(figure)))


def claims_code(*experiments: str) -> str:
    """The hash of the code that checks the claims, see `claims_modules`, and of the templates of the audit's pages."""
    return digest(*claims_modules(*experiments), texts=AUDIT_TEMPLATES)


def writer_code(writer: str) -> str:
    """The hash of the code that writes other files, see `WRITERS`, and of the texts that it reads."""
    modules, texts = WRITERS[writer]
    return digest(*modules, texts=texts)


def site_code() -> str:
    """The hash of everything that the site shows beside the figures: of the package and of the documents."""
    files = [path for pattern in SHOWN for path in ROOT.glob(pattern) if path.is_file()]
    names = {str(path.relative_to(ROOT)) for path in files if "__pycache__" not in path.parts}
    return digest(texts=tuple(sorted(names)))


def outside(name: str, resolved: dict) -> dict[str, str]:
    """{file: SHA-256} of the files that an experiment reads and this package does not have; mostly there are none.

    Raises:
        UserError: one is missing; the sentence says how to get it.
    """
    card = cards.read(name)
    if "outside" not in card.modules:
        return {}
    found = card.module("outside").files(stage_settings(card, resolved, "problems"))
    return {file: _sha256(str(path), path.stat().st_mtime_ns) for file, path in sorted(found.items())}


@cache
def _sha256(path: str, changed: int) -> str:
    """Of a file; computed once per process, unless its date changes."""
    return checksums.of(path)


def behind(pictured: str) -> tuple[str, ...]:
    """The experiments behind a figure; the audit reads them all."""
    return tuple(card.name for card in cards.experiments()) if pictured == "audit" else cards.read(pictured).draws


def drawn(pictured: str) -> tuple[str, ...]:
    """The kinds of files that are drawn of a figure."""
    pictures = ("pdf", "png", "svg")
    return pictures if pictured == "audit" else (*pictures, "csv")


def stage_files(name: str) -> tuple[str, ...]:
    """Every source file that the stages of an experiment run."""
    card = cards.read(name)
    return module_files(*(module for stage in card.stages for module in stage_modules(card, stage)))


def claims_files(*experiments: str) -> tuple[str, ...]:
    """Every source file that checks the claims of some experiments."""
    return module_files(*claims_modules(*experiments))


def all_files(pictured: str) -> list[str]:
    """Every source file that the stages behind a figure run."""
    modules = {
        module
        for name in behind(pictured)
        for stage in cards.read(name).stages
        for module in stage_modules(cards.read(name), stage)
    }
    audit = pictured == "audit"
    modules.update((*claims_modules(), *WRITERS["audit_figure"][0]) if audit else figure_modules(cards.read(pictured)))
    return list(module_files(*sorted(modules)))
