"""What the stages share: the checked configuration, the blocks, and the code each stage depends on."""

import sys
from functools import cache

from snakemake.exceptions import WorkflowError
from snakemake.logging import logger

# The package beside this workflow, whichever interpreter runs Snakemake.
sys.path.insert(0, workflow.basedir)

from attnsvm.checksums import DIFFERS, damaged
from attnsvm.configuration import validate
from attnsvm.dependencies import module_files
from attnsvm.errors import UserError
from attnsvm.experiments import EXPERIMENTS
from attnsvm.plots import FIGURES

try:
    validate(config, workflow.source_path("../schemas/config.schema.yaml"))
except UserError as error:
    raise WorkflowError(str(error))


KINDS = ("pdf", "png", "csv")
NARROW = ("attnsvm.experiments",)  # a stage runs one function of an experiment, and what that calls
TEMPLATES = ("attnsvm/audit/page.html.j2", "attnsvm/audit/page.md.j2")
AUDIT = ("results/audit/claims.csv", "results/audit/audit.html", "results/audit/audit.md", "figures/audit.png")


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


def code(stage):
    """The files of attnsvm that a stage of an experiment runs, and its script."""

    def of_experiment(wildcards):
        rebuild_damaged_files()  # every target needs a stage
        return sorted(
            {
                *module_files("attnsvm.stages", stage, NARROW),
                *module_files(f"attnsvm.experiments.{wildcards.experiment}", stage, NARROW),
                f"workflow/scripts/{stage}.py",
            }
        )

    return of_experiment


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
