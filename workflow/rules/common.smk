"""The checked configuration, and how the rules take the params and the files of a job from the plan."""

import sys
from pathlib import Path

# The package beside these rules, here and in the jobs that Snakemake starts; that of a workflow without one beside it
# (as from `github(...)`) is the one that is installed.
BESIDE = Path(str(workflow.current_basedir.get_path_or_uri(secret_free=True))).parents[1]
if (BESIDE / "attnsvm").is_dir():
    sys.path.insert(0, str(BESIDE))

from attnsvm.pipeline import captions, cards, targets
from attnsvm.pipeline.cluster.growing import growing, let_grow
from attnsvm.pipeline.running import arithmetic
from attnsvm.pipeline.configuration import resolve
from attnsvm.pipeline.plan import Plan
from attnsvm.pipeline.refusals import end, or_end
from attnsvm.pipeline.running.reporting import hide_bars, package_in
from attnsvm.checksums import keep_no_checksums

if (BESIDE / "attnsvm").is_dir():
    package_in(BESIDE)

# Another dict: what the user gave stays as it is, for a workflow that takes rules from this one twice.
config = or_end(resolve, config)
arithmetic.choose(config["arithmetic"])
# The site and the report show the captions.
config["captions"] = {card.name: or_end(captions.caption, card, config) for card in cards.figures(optional=True)}
config["notes"] = {card.name: or_end(captions.notes, card, config) for card in cards.figures(optional=True)}

if workflow.output_settings.quiet:
    hide_bars()
if workflow.storage_settings.default_storage_provider:
    keep_no_checksums()

plan = Plan(config, workflow.resource_settings.overwrite_scatter)
AT, FIGURES = plan.at, targets.figures()
EXPERIMENTS = [card.name for card in cards.experiments()]


# How many blocks each experiment's own number of seeds is cut into; a cluster wants more: --set-scatter multi_token=64.
# Snakemake keeps the number. Its names "i-of-N" are not used: a block is called after its seeds (attnsvm/pipeline/blocks.py).
scattergather:
    **{card.name: card.blocks for card in cards.experiments(optional=True)},


wildcard_constraints:
    **targets.constraints(AT),


def of_wildcards(function, *first):
    """A function of the plan as Snakemake calls it, with one argument for all wildcards; a refusal ends the run."""
    return lambda wildcards: or_end(function, *first, **dict(wildcards.items()))


def job(rule):
    """What tells the script which job it runs; no reason to run again, as all that Snakemake derives from outputs."""
    return lambda wildcards, output: rule


def params_of(rule):
    """The params of a rule's jobs, as the plan has them."""
    return {"job": job(rule)} | {name: of_wildcards(function) for name, function in plan.params(rule).items()}


def files(function, *first):
    """An input function: the files that the plan names, once those that are damaged are known."""
    named = of_wildcards(function, *first)
    return lambda wildcards: rebuild_damaged_files() or named(wildcards)  # which returns nothing


def read_once(path):
    """A block's file: with `intermediates: drop` it goes as soon as everything that is made from it is there."""
    return temp(path) if config["intermediates"] == "drop" else path
