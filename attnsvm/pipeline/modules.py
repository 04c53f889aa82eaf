"""Which code a job runs: the modules behind its rule that decide over what it writes, and the texts that these read.

A job runs nothing that its hash does not cover: a module chosen by name, as with `importlib`, would escape the hash,
and an edit of it would rerun nothing. What no import statement says is found while the job runs (`covered`).
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from attnsvm.pipeline import cards, elsewhere, targets
from attnsvm.pipeline.hashes.dependencies import ROOT, digest, file_of, module_files
from attnsvm.system.errors import require

PAGES = tuple(f"attnsvm/audit/{name}" for name in ("page.html.j2", "elsewhere.csv", "retired.csv", "revised.csv"))
MATRIX = ("attnsvm/audit/elsewhere.html.j2",)
# {a rule: texts that its modules read}
TEXTS = {
    "claims": PAGES,
    "claims_of": PAGES,
    "matrix": MATRIX,
    "matrices": MATRIX,
    "provenance": ("attnsvm/pipeline/provenance.schema.yaml",),
}
# {a rule whose modules are the same for every job: these}
WRITERS = {
    "audit_figure": ("attnsvm.audit.figure", "attnsvm.plots.style"),
    "provenance": ("attnsvm.pipeline.provenance",),
}
# How a job is run, what is written of it, and how files are written.
ROOMS = ("pipeline", "publish", "system.checksums", "system.store", "system.writing")
OVER_NO_NUMBER = tuple(f"attnsvm.{room}." for room in ROOMS)
ON_THE_SITE = ("*.md", "docs/*", "attnsvm/**/*", "config/*", "profiles/**/*", "Dockerfile", ".github/workflows/*")


def of_stage(experiment: str, stage: str) -> tuple[str, ...]:
    """The modules that decide over the numbers of a stage: its own, and how its blocks are put together."""
    card = cards.read(experiment)
    beside: tuple[str, ...] = ()
    if stage == "measures":
        beside = ("attnsvm.pipeline.running.gathering",)
    elif stage == "problems" and (redrawn := elsewhere.distribution(experiment)):
        beside = (redrawn,)
    return card.modules[stage], *beside


def of_stages(experiment: str) -> tuple[str, ...]:
    """The modules of all stages of an experiment."""
    return tuple(module for stage in cards.read(experiment).stages for module in of_stage(experiment, stage))


def of_figure(figure: str) -> tuple[str, ...]:
    """The modules that draw a figure: its own, and those of its headline."""
    parts = cards.read(figure).modules
    claims = (parts["claims"],) if "claims" in parts else ()
    return parts["figure"], "attnsvm.plots.style", "attnsvm.audit.headline", *claims


def of_claims(experiments: list[str]) -> tuple[str, ...]:
    """The modules that check the claims of some experiments."""
    claims = (cards.read(name).modules["claims"] for name in experiments)
    return "attnsvm.audit.table", "attnsvm.audit.pages", "attnsvm.audit.elsewhere", "attnsvm.audit.retired", *claims


def of_matrix(figures: list[str]) -> tuple[str, ...]:
    """The modules that try the claims of some figures under other settings, and gather what was measured for them."""
    claims = [cards.read(name).modules["claims"] for name in figures]
    drawn = dict.fromkeys(name for figure in figures for name in cards.read(figure).draws)
    tables = [module for name in drawn for module in of_stage(name, "measures")]
    return "attnsvm.audit.elsewhere", *claims, *tables


def of(rule: str, name: str = "") -> tuple[str, ...]:
    """The modules that decide over what a job writes, by its rule.

    Args:
        name: of the experiment, the figure, or the group of claims; "" for a rule of `WRITERS`, and for all claims.
    """
    match rule:
        case "problems" | "descent" | "svm" | "measures":
            return of_stage(name, rule)
        case "figure":
            return of_figure(name)
        case "claims" | "claims_of":
            return of_claims(targets.claiming(name))
        case "matrix" | "matrices":
            return of_matrix([name] if name else targets.tried())
    return WRITERS[rule]


def hash_of_site() -> str:
    """The hash of everything that the site shows beside the figures: of the package and of the documents."""
    files = [path for pattern in ON_THE_SITE for path in ROOT.glob(pattern) if path.is_file()]
    names = {str(path.relative_to(ROOT)) for path in files if "__pycache__" not in path.parts}
    return digest(texts=tuple(sorted(names)))


def files_behind(pictured: str) -> list[str]:
    """Every source file that the stages behind a figure, or behind the audit, run, and what draws it."""
    stages = {module for name in targets.behind(pictured) for module in of_stages(name)}
    drawing = (*of_claims(targets.claiming()), *WRITERS["audit_figure"]) if pictured == "audit" else of_figure(pictured)
    return list(module_files(*sorted({*stages, *drawing})))


@contextmanager
def covered(*modules: str) -> Iterator[None]:
    """Refuse what the body makes if it imports a module of this package that is not behind `modules`.

    What was imported before counts for nothing: what runs the job, and in one process with others their modules.

    Raises:
        UserError: there is such a module.
    """
    before = {*sys.modules}
    yield
    ours = (name for name in sys.modules.keys() - before if name.startswith("attnsvm."))
    found = {file_of(name): name for name in ours if not f"{name}.".startswith(OVER_NO_NUMBER)}
    unseen = sorted({*found} - {"", *module_files(*modules)} if found else ())
    require(
        not unseen,
        f"{modules[0]} runs {', '.join(found[file] for file in unseen)}, which no import statement behind it names: "
        "an edit of it would rerun nothing; import it by a statement",
    )
