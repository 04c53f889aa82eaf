"""What a user is told before anything runs: what each target is, and what cannot work.

It uses three things of Snakemake's own workings (all of Snakemake 9): `docstring` of a rule, which `snakemake --list` prints;
`workflow.resource_settings.overwrite_scatter`, what --set-scatter asks for; `workflow.modifier.is_main_snakefile`, whether
these rules stand alone and are no part of somebody else's workflow. tests/workflow/test_first_use.py sees each of them work.
"""

from functools import cache

from snakemake.logging import logger

from attnsvm.pipeline import blocks, devices

ALONE = workflow.modifier.is_main_snakefile()
DESCRIPTIONS = {
    "figures/all": "every figure",
    "figures/audit": "every claim and its verdict in one picture",
    "audit": "every claim of the paper against the numbers: results/audit/audit.html",
    "report": "a page per figure, and the audit, for `make report`",
    **{f"figures/{card.name}": card.title for card in cards.figures()},
}
INTERNAL = "internal: a step on the way to the targets"

if workflow.is_main_process:
    try:
        blocks.check(workflow.resource_settings.overwrite_scatter, config, ours_alone=ALONE)
    except UserError as error:
        raise WorkflowError(str(error))


def describe_rules():
    """Say of each of our rules what `snakemake --list` is to print; called when all are known."""
    for known in workflow.modifier.rules if ALONE else ():
        known.docstring = DESCRIPTIONS.get(known.name, INTERNAL)


@cache
def require_device(name):
    """End the run, before its first job, if it must train where there is no such device."""
    missing = devices.missing(config["experiments"][name].get("descent", {}).get("device", "cpu"))
    if missing and workflow.is_main_process and workflow.local_exec:
        sentence = f"config: experiments.{name}.descent.device: {missing}"
        if not workflow.dryrun:
            sys.exit(f"error: {sentence}")
        logger.warning(f"{sentence} (jobs on other machines may have one)")
