"""The checked configuration, and the names that the rules share."""

import sys
from functools import cache
from pathlib import Path

from snakemake.exceptions import WorkflowError

# The package beside these rules, here and in the jobs that Snakemake starts; that of a workflow without one beside it
# (as from `github(...)`) is the one that is installed.
BESIDE = Path(str(workflow.current_basedir.get_path_or_uri(secret_free=True))).parents[1]
if (BESIDE / "attnsvm").is_dir():
    sys.path.insert(0, str(BESIDE))

from attnsvm.errors import UserError
from attnsvm.files.checksums import keep_no_checksums
from attnsvm.documents import captions
from attnsvm.building import blocks, cards, jobs
from attnsvm.building.configuration import resolve, stage_settings
from attnsvm.building.progress import hide_bars
from attnsvm.building.script import package_in

if (BESIDE / "attnsvm").is_dir():
    package_in(BESIDE)

try:
    # Another dict: what the user gave stays as it is, for a workflow that takes rules from this one twice.
    config = resolve(config)
    # For the pages of the report.
    config["captions"] = {card.name: captions.caption(card, config) for card in cards.figures(optional=True)}
except UserError as error:
    raise WorkflowError(str(error))

if workflow.output_settings.quiet:
    hide_bars()
if workflow.storage_settings.default_storage_provider:
    keep_no_checksums()

AT = "" if config["scale"] == "paper" else f"{config['scale']}/"  # smoke numbers stay out of the paper's folders
EXPERIMENTS = [card.name for card in cards.experiments()]
WITH_OPTIONAL = [card.name for card in cards.experiments(optional=True)]
FIGURES = [card.name for card in cards.figures()]
OPTIONAL = [card.name for card in cards.figures(optional=True) if card.optional]  # built only where they are asked for
KINDS = ("pdf", "png", "svg", "csv", "json")
AUDIT = (
    *(f"{AT}results/audit/{name}" for name in ("claims.csv", "audit.html", "audit.md")),
    *(f"{AT}figures/audit.{kind}" for kind in ("png", "json")),
)


# How many blocks each experiment's own number of seeds is cut into; a cluster wants more: --set-scatter multi_token=64.
# Snakemake keeps the number. Its names "i-of-N" are not used: a block is called after its seeds (attnsvm/building/blocks.py).
scattergather:
    **{card.name: card.blocks for card in cards.experiments(optional=True)},


wildcard_constraints:
    experiment="|".join(WITH_OPTIONAL),
    figure="|".join([*FIGURES, *OPTIONAL]),
    optional="|".join(OPTIONAL),
    pictured="|".join([*FIGURES, *OPTIONAL, "audit"]),
    block=r"[^/]+",
    unknown_at=r"([a-z]+/)?",
    unknown_figure=rf"(?!({'|'.join([*FIGURES, *OPTIONAL])}|audit)\.({'|'.join(KINDS)})$)[^/]+",
    unknown_experiment=rf"(?!({'|'.join(WITH_OPTIONAL)}|logs|benchmarks|audit|report)/)[^/]+",
    unknown_target=r"[\w.-]+",
    unknown_place=r"(figures|results)/.+" if AT else r"smoke/.+",


def settings(stage):
    """A params function: what the configuration says of a stage; of the first also what it reads from outside."""

    def values(wildcards):
        if not hasattr(wildcards, "block"):
            return stage_settings(cards.read(wildcards.experiment), config, stage)
        own = jobs.block_settings(wildcards.experiment, stage, config)
        read = outside(wildcards.experiment) if stage == "problems" else {}
        return own | {"outside": read} if read else own

    return values


@cache
def blocks_of(name):
    """The blocks of an experiment, see `blocks.cut`; ends the run where a file is missing that its grid is read from."""
    outside(name)
    return said(blocks.cut, cards.read(name), config, ASKED_BLOCKS.get(name))


def parts(wildcards):
    """A params function: the parts of cells of which a block is made."""
    return blocks_of(wildcards.experiment)[wildcards.block]


def outside(name):
    """The checksums of the files from outside that an experiment reads; ends the run where one is missing."""
    return said(jobs.outside, name, config)


def code(stage):
    """A params function: the hash of the code that a stage runs. Snakemake compares params by value, dates or not."""
    return lambda wildcards: said(jobs.stage_code, wildcards.experiment, stage)


def before(stage):
    """A params function: a hash of the settings and the code of the earlier stages.

    Snakemake compares the files of those stages, but not what is gone: drawn anew for another seed and then deleted, by
    hand or by a run that was killed, they would leave old figures that pass as up to date.
    """
    return lambda wildcards: history(wildcards.experiment, stage, getattr(wildcards, "block", None))


@cache
def history(name, stage="figure", block=None):
    """The hash for one experiment, or for one block of it; that of its figure is over all its stages."""
    card = cards.read(name)
    stages = card.stages if stage == "figure" else jobs.earlier(card, stage)
    return said(jobs.history, name, stages, config, block and blocks_of(name)[block])


def growing(mb):
    """A resource that a job killed for memory gets more of when it is tried again: twice, three times as much."""
    return lambda wildcards, attempt: mb * attempt


def said(function, *arguments):
    """What a function answers; where the user can mend what stops it, its sentence ends the run."""
    try:
        return function(*arguments)
    except UserError as error:
        sys.exit(f"error: {error}")


def of_block(stage):
    """An input function: the files of the earlier stages from one block, by stage."""

    def files(wildcards):
        rebuild_damaged_files()
        if stage not in cards.read(wildcards.experiment).stages:
            sys.exit(f"error: {wildcards.experiment} has no {stage}")
        known = blocks_of(wildcards.experiment)
        if wildcards.block not in known:
            more = ", ..." if len(known) > 4 else ""
            are = f"its blocks are {', '.join([*known][:4])}{more}"
            sys.exit(f"error: {wildcards.experiment} has no block {wildcards.block}: {are}")
        if stage == "problems":
            outside(wildcards.experiment)
        if stage == "descent":
            require_device(wildcards.experiment)
        base = f"{AT}results/{wildcards.experiment}/{wildcards.block}"
        return {name: f"{base}/{name}.npz" for name in jobs.earlier(cards.read(wildcards.experiment), stage)}

    return files


def of_all_blocks(wildcards):
    """An input function: what is measured of every block, or where blocks are few the files of all stages, by stage."""
    rebuild_damaged_files()
    base, known = f"{AT}results/{wildcards.experiment}", blocks_of(wildcards.experiment)
    few = len(known) <= blocks.MEASURED_TOGETHER
    stages = jobs.earlier(cards.read(wildcards.experiment), "measures") if few else ("measures",)
    return {stage: [f"{base}/{block}/{stage}.npz" for block in known] for stage in stages}


def tables(wildcards):
    """An input function: the tables that a figure draws, by experiment."""
    rebuild_damaged_files()
    return {name: f"{AT}results/{name}/measures.parquet" for name in jobs.behind(wildcards.figure)}


def counted(table):
    """An input function: a csv of every experiment behind a figure."""
    return lambda wildcards: [f"{AT}results/{name}/{table}.csv" for name in jobs.behind(wildcards.pictured)]


def heading(card):
    """Under which heading of the report a figure stands; the audit is the first."""
    return f"{list(cards.sections()).index(card.section) + 2} {card.section}"


def page(name, heading, label):
    """The page of a figure as an entry of the report."""
    return report(f"{AT}results/report/{name}.html", category=heading, labels={"figure": label})


def read_once(path):
    """A block's file: with `intermediates: drop` it goes as soon as everything that is made from it is there."""
    return temp(path) if config["intermediates"] == "drop" else path
