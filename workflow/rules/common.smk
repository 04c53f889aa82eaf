"""The checked configuration, and how the rules take the params and the files of a job from the plan."""

import inspect
import os
import sys
from pathlib import Path

# The package beside these rules, here and in the jobs that Snakemake starts; that of a workflow without one beside it
# (as from `github(...)`) is the one that is installed.
BESIDE = Path(inspect.currentframe().f_code.co_filename).parents[2]
if (BESIDE / "attnsvm").is_dir():
    sys.path.insert(0, str(BESIDE))

from attnsvm.pipeline import blocks, captions, cards, command_line, job_records, provenance, snakemake_private, targets
from attnsvm.pipeline.cluster import eta
from attnsvm.pipeline.cluster.memory_retry import growing
from attnsvm.pipeline.running import arithmetic
from attnsvm.pipeline.configuration import resolve
from attnsvm.pipeline.plan import Plan
from attnsvm.pipeline.run_errors import end, or_end
from attnsvm.pipeline.running.reporting import hide_bars, package_in
from attnsvm.system.checksums import keep_no_checksums

if (BESIDE / "attnsvm").is_dir():
    package_in(BESIDE)

# Another dict: what the user gave stays as it is, for a workflow that takes rules from this one twice.
config = or_end(resolve, config)
arithmetic.choose(config["arithmetic"])
# The site and the report show the captions.
config["captions"] = {card.name: or_end(captions.caption, card, config) for card in cards.figures(optional=True)}
config["notes"] = {card.name: or_end(captions.notes, card, config) for card in cards.figures(optional=True)}

MAIN, IN_BUCKET = snakemake_private.is_main_process(workflow), snakemake_private.in_bucket(workflow)
if any(word == "-q" or word.startswith("--quiet") for word in sys.argv):
    hide_bars()
if IN_BUCKET:
    keep_no_checksums()


# A card says into how many blocks its own number of seeds is cut; a cluster wants more: --set-scatter multi_token=64.
# Snakemake's names "i-of-N" are not used: a block is called after its seeds (attnsvm/pipeline/blocks.py).
scattergather:
    **{card.name: 0 for card in cards.experiments(optional=True)},


asked = {card.name: len(getattr(scatter, card.name)("{scatteritem}")) for card in cards.experiments(optional=True)}
plan = Plan(config, {name: count for name, count in asked.items() if count})
AT, FIGURES = plan.at, targets.figures()


wildcard_constraints:
    **targets.constraints(),


def of_wildcards(function, *first):
    """A function of the plan as Snakemake calls it, with one argument for all wildcards; a refusal ends the run."""
    return lambda wildcards: or_end(function, *first, **dict(wildcards.items()))


def job(rule):
    """What tells the script which job it runs; no reason to run again, as all that Snakemake derives from outputs."""
    return lambda wildcards, output: rule


def made_by(rule, wildcards):
    """What a job notes as made, and what those have noted whose files it reads."""
    return or_end(plan.made_by, rule, **dict(wildcards.items()))


def params_of(rule):
    """The params of a rule's jobs, as the plan has them."""
    own = {name: of_wildcards(function) for name, function in plan.params(rule).items()}
    noted = {
        "made": lambda wildcards: made_by(rule, wildcards)[0],
        "origin": lambda wildcards: made_by(rule, wildcards)[1],
    }
    return {"job": job(rule)} | own | noted


def inputs_of(rule, name=""):
    """An input function: the files that the plan names, once it is decided whether those of the job are built anew.

    `name`: of Snakemake's rule, where it is another.
    """
    named = of_wildcards(plan.inputs(rule))
    return lambda wildcards: decide(rule, name or rule, wildcards) or named(wildcards)  # the first returns nothing


def read_once(path):
    """A block's file: with `intermediates: drop` it goes as soon as everything that is made from it is there."""
    return temp(path) if config["intermediates"] == "drop" else path
