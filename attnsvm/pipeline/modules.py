"""Which code a job runs: the modules behind its rule that decide over what it writes, and the texts that these read."""

from attnsvm.pipeline import cards, targets
from attnsvm.pipeline.hashes.dependencies import ROOT, digest, module_files

# {a rule: texts that its modules read}
TEXTS = {
    "claims": ("attnsvm/audit/page.html.j2", "attnsvm/audit/page.md.j2"),
    "crate": ("CITATION.cff",),
    "provenance": ("attnsvm/pipeline/provenance.schema.yaml",),
}
# {a rule without wildcards: its modules}
WRITERS = {
    "audit_figure": ("attnsvm.audit.figure", "attnsvm.plots.style"),
    "crate": ("attnsvm.publish.exchange.crate",),
    "provenance": ("attnsvm.pipeline.provenance",),
    "standalone": ("attnsvm.pipeline.standalone",),
}
ON_THE_SITE = ("*.md", "docs/*", "attnsvm/**/*", "config/*", "profiles/**/*", "Dockerfile", ".github/workflows/*")


def of_stage(experiment: str, stage: str) -> tuple[str, ...]:
    """The modules that decide over the numbers of a stage: its own, and how its blocks are put together."""
    return cards.read(experiment).modules[stage], *(
        ("attnsvm.pipeline.running.gathering",) if stage == "measures" else ()
    )


def of_stages(experiment: str) -> tuple[str, ...]:
    """The modules of all stages of an experiment."""
    return tuple(module for stage in cards.read(experiment).stages for module in of_stage(experiment, stage))


def of_figure(figure: str) -> tuple[str, ...]:
    """The modules that draw a figure: its own, and those of its headline."""
    own = cards.read(figure).modules
    claims = (own["claims"],) if "claims" in own else ()
    return own["figure"], "attnsvm.plots.style", "attnsvm.audit.headline", *claims


def of_claims(experiments: list[str]) -> tuple[str, ...]:
    """The modules that check the claims of some experiments."""
    own = (cards.read(name).modules["claims"] for name in experiments)
    return "attnsvm.audit.table", "attnsvm.audit.pages", *own


def hash_of_claims(experiments: list[str]) -> str:
    """The hash of the code and the templates that make the pages of some experiments' claims."""
    return digest(*of_claims(experiments), texts=TEXTS["claims"])


def hash_of_writer(rule: str) -> str:
    """The hash of the code of a rule in `WRITERS`, and of the texts that it reads."""
    return digest(*WRITERS[rule], texts=TEXTS.get(rule, ()))


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
