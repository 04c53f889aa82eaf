"""Which code a job runs: the modules behind its rule, whatever they import, and the files that these name.

A job runs nothing that its hash does not cover: a module chosen by name, as with `importlib`, would escape the hash,
and an edit of it would rerun nothing. What no import statement says is found while the job runs (`job_records`).
"""

from attnsvm.pipeline import cards, elsewhere, targets
from attnsvm.pipeline.hashes.dependencies import ROOT, digest, module_files, path_of

RUNNING = "attnsvm.pipeline.running"
SCRIPT = "workflow/scripts/job.py"  # what every job begins with
FIRST = (f"{RUNNING}.reporting", "attnsvm.pipeline.job_records")  # and then
# {a rule: the module that runs its jobs}
RUNNERS = {
    **dict.fromkeys(("problems", "descent", "svm"), f"{RUNNING}.stages"),
    **dict.fromkeys(("measures_of_block", "variant", "measures"), f"{RUNNING}.tables"),
    **dict.fromkeys(("figure", "audit_figure"), f"{RUNNING}.drawing"),
    **dict.fromkeys(("claims", "claims_of", "cells", "matrix", "matrices"), f"{RUNNING}.auditing"),
    "provenance": "attnsvm.pipeline.provenance",
    "paper_numbers": "attnsvm.publish.paper.numbers",
    "typeset": "attnsvm.publish.paper.typesetting",
    "site": "attnsvm.publish.site.build",
}
ON_THE_SITE = ("*.md", "docs/*", "attnsvm/**/*", "config/*", "profiles/**/*", "Dockerfile", ".github/workflows/*")


def of_stage(experiment: str, stage: str) -> tuple[str, ...]:
    """The modules of a stage of an experiment: its own, and what draws the tokens of its problems anew."""
    redrawn = elsewhere.distribution(experiment) if stage == "problems" else ""
    return (cards.read(experiment).modules[stage], *filter(None, [redrawn]))


def of(rule: str, name: str = "") -> tuple[str, ...]:
    """The modules that a job imports, by its rule; first the one that runs it.

    Args:
        name: of the experiment, the figure, or the group of claims; "" for all claims, and where all jobs are alike.
    """
    own: tuple[str, ...] = ()
    match rule:
        case "problems" | "descent" | "svm" | "measures":
            own = of_stage(name, rule)
        case "measures_of_block":
            own = of_stage(name, "measures")
        case "variant":
            own = tuple(module for stage in cards.read(name).stages for module in of_stage(name, stage))
        case "figure":
            parts = cards.read(name).modules  # its headline reads claims
            own = tuple(parts[part] for part in ("figure", "claims") if part in parts)
        case "claims" | "claims_of":
            own = tuple(cards.read(one).modules["claims"] for one in targets.claiming(name))
        case "paper_numbers":  # of figures that were not built it reads the keys of the claims
            own = tuple(card.modules["claims"] for card in cards.optional() if "claims" in card.modules)
        case "cells" | "matrix" | "matrices":  # claims, and what makes their tables
            figures = [cards.read(one) for one in ([name] if name else targets.tried())]
            drawn = dict.fromkeys(one for card in figures for one in card.draws)
            own = tuple(card.modules["claims"] for card in figures)
            own += tuple(cards.read(one).modules["measures"] for one in drawn)
    return (RUNNERS[rule], *FIRST, *own)


def code(rule: str, name: str = "", texts: tuple[str, ...] = ()) -> dict:
    """What a job is told of its code: "modules", see `of`, other files as "texts", and "sha256" of it all."""
    texts = (*filter(None, [SCRIPT if path_of(SCRIPT).is_file() else ""]), *texts)
    roots = of(rule, name)
    return {"modules": list(roots), "texts": list(texts), "sha256": digest(*roots, texts=texts)}


def on_the_site() -> tuple[str, ...]:
    """Everything that the site shows beside the figures: of the package and of the documents."""
    files = [path for pattern in ON_THE_SITE for path in ROOT.glob(pattern) if path.is_file()]
    return tuple(sorted({str(path.relative_to(ROOT)) for path in files if "__pycache__" not in path.parts}))


def files_behind(pictured: str) -> list[str]:
    """Every source file that the jobs behind a figure, or behind the audit, run."""
    stages = {
        module for name in targets.behind(pictured) for stage in cards.read(name).stages for module in of(stage, name)
    }
    last = (*of("claims"), *of("audit_figure")) if pictured == "audit" else of("figure", pictured)
    return list(module_files(*sorted({*stages, *last})))
