"""What the stages share: the checked configuration, the blocks, and the code each stage depends on."""

import shutil
import sys
from functools import cache
from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake.logging import logger

# The package beside this workflow, whichever interpreter runs Snakemake.
sys.path.insert(0, workflow.basedir)

from attnsvm.files.checksums import DIFFERS, damaged
from attnsvm.pipeline.configuration import validate
from attnsvm.pipeline.dependencies import module_files
from attnsvm.errors import UserError
from attnsvm.experiments import EXPERIMENTS
from attnsvm.plots import FIGURES
from attnsvm.pipeline.progress import hide_bars

try:
    validate(config, workflow.source_path("../schemas/config.schema.yaml"))
except UserError as error:
    raise WorkflowError(str(error))


# For workflow/report/figure.rst: a report's caption is one file a rule, and may read the configuration.
config["captions"] = {name: Path(workflow.source_path(f"../report/{name}.rst")).read_text() for name in FIGURES}


# Snakemake's records of what made each file travel with results/: copied into a fresh clone, they say what is up to date.
RECORDS, TRAVELLING = Path(".snakemake/metadata"), Path("results/.metadata")
if TRAVELLING.is_dir() and not (RECORDS.is_dir() and any(RECORDS.iterdir())):
    shutil.copytree(TRAVELLING, RECORDS, dirs_exist_ok=True)


def pack_records():
    """Put the records of this run beside the results they are about."""
    if RECORDS.is_dir() and TRAVELLING.parent.is_dir():
        shutil.copytree(RECORDS, TRAVELLING, dirs_exist_ok=True)


onsuccess:
    pack_records()


onerror:
    pack_records()


if workflow.output_settings.quiet:
    hide_bars()


KINDS = ("pdf", "png", "csv", "json")
NARROW = ("attnsvm.experiments",)  # a stage runs one function of an experiment, and what that calls
TEMPLATES = ("attnsvm/audit/page.html.j2", "attnsvm/audit/page.md.j2")
AUDIT = (
    "results/audit/claims.csv",
    "results/audit/audit.html",
    "results/audit/audit.md",
    "figures/audit.png",
    "figures/audit.json",
)


# How many blocks each experiment's instances are cut into; a cluster wants more: --set-scatter multi_token=64.
scattergather:
    trajectories=1,
    hyperplanes=1,
    local_convergence=2,
    normalisation=2,
    svm_rank=2,
    multi_token=4,
    convergence_types=2,
    token_count=2,
    self_local_convergence=1,
    self_convergence_types=2,
    feasibility=2,
    penalised_head=1,
    regularisation_path=2,
    norm_growth=1,
    sequence=1,
    cone=1,
    positional=1,


wildcard_constraints:
    experiment="|".join(EXPERIMENTS),
    figure="|".join(FIGURES),
    pictured="|".join([*FIGURES, "audit"]),
    block=r"\d+-of-\d+",
    unknown_figure=rf"(?!({'|'.join(FIGURES)}|audit)\.)[^/]+",
    unknown_experiment=rf"(?!({'|'.join(EXPERIMENTS)}|logs|benchmarks|audit)/)[^/]+",


def settings(wildcards, stage):
    """The configuration of an experiment that `stage` depends on beyond its input files."""
    section = config["experiments"][wildcards.experiment]
    kept = {"problems": ["problems"], "descent": ["descent"], "svm": [], "measures": ["problems", "measures"]}[stage]
    return {key: section[key] for key in kept if key in section}


@cache
def rebuild_damaged_files():
    """Name every file that is not what its stage wrote, and have it built anew: once a run, while the jobs are found."""
    if workflow.is_main_process:
        found = damaged(["results", "figures"])
        for path in found:
            logger.warning(f"{path}: damaged ({DIFFERS}); it is built anew before anything is made from it")
        workflow.dag.forcefiles.update(found)


def stage_code(experiment, stage):
    """The files of attnsvm that a stage of an experiment runs, and its script."""
    return sorted(
        {
            *module_files("attnsvm.pipeline.stages", stage, NARROW),
            *module_files(f"attnsvm.experiments.{experiment}", stage, NARROW),
            f"workflow/scripts/{stage}.py",
        }
    )


def code(stage):
    """`stage_code` as an input function."""

    def of_experiment(wildcards):
        rebuild_damaged_files()  # every target needs a stage
        return stage_code(wildcards.experiment, stage)

    return of_experiment


def plot_code(figure):
    """The files of attnsvm that draw a figure."""
    return sorted(
        {
            *module_files("attnsvm.pipeline.stages", "figure"),
            *module_files("attnsvm.plots"),
            *module_files(f"attnsvm.plots.{figure}"),
            "workflow/scripts/figure.py",
        }
    )


def claims_code():
    """The files of attnsvm that check the claims."""
    return sorted({*module_files("attnsvm.pipeline.stages", "claims"), *TEMPLATES, "workflow/scripts/claims.py"})


def audit_figure_code():
    """The files of attnsvm that draw the audit."""
    drawing = module_files("attnsvm.pipeline.stages", "audit_figure"), module_files("attnsvm.plots.audit")
    return sorted({*drawing[0], *drawing[1], "workflow/scripts/audit_figure.py"})


def behind(pictured):
    """The experiments behind a figure; the audit reads them all."""
    return FIGURES.get(pictured, EXPERIMENTS)


def drawn(pictured):
    """What was drawn of a figure."""
    kinds = ("pdf", "png") if pictured == "audit" else ("pdf", "png", "csv")
    return [f"figures/{pictured}.{kind}" for kind in kinds]


def all_code(pictured):
    """Every file that all the stages behind a figure run."""
    stages = ("problems", "descent", "svm", "measures")
    files = {file for name in behind(pictured) for stage in stages for file in stage_code(name, stage)}
    own = [*claims_code(), *audit_figure_code()] if pictured == "audit" else plot_code(pictured)
    return sorted(files | set(own))


def category(wildcards):
    """Under which heading of the report a figure stands."""
    official = ("trajectories", "hyperplanes", "local_convergence", "svm_rank", "multi_token")
    ours = ("normalisation", "cone", "positional")
    kind = wildcards.figure
    return "2 The official figures" if kind in official else "4 Our own" if kind in ours else "3 The rest of the paper"


def gathered(stage):
    """The files of a stage from every block of an experiment."""

    def of_experiment(wildcards):
        pattern = f"results/{wildcards.experiment}/{{scatteritem}}/{stage}.npz"
        return getattr(gather, wildcards.experiment)(pattern)

    return of_experiment


def unknown(kind, known):
    """An input function that says, better than a missing rule, that there is no such figure or experiment."""

    def refuse(wildcards):
        raise WorkflowError(f"unknown {kind} {wildcards[0]!r}: known are {', '.join(known)}")

    return refuse
