"""What a user is told before anything runs: what each target is, and what cannot work."""

import difflib
import sys
from functools import cache

from snakemake.logging import logger

from attnsvm.building import blocks, devices

DESCRIPTIONS = {
    "figures/all": "every figure",
    "figures/audit": "every claim and its verdict in one picture",
    "audit": "every claim of the paper against the numbers: results/audit/audit.html",
    "report": "a page per figure, and the audit, for `make report`",
    "site": "a website of everything: site/index.html",
    **{f"figures/{card.name}": card.title for card in cards.figures(optional=True)},
}
TARGETS = [*(f"figures/{name}" for name in ("all", "audit", *FIGURES, *OPTIONAL)), "audit", "report", "site"]
INTERNAL = "internal: a step on the way to the targets"

try:
    blocks.check(BLOCKS_ASKED_FOR, ours_alone=ALONE)
except UserError as error:
    raise WorkflowError(str(error))


@cache
def require_device(name):
    """End the run, before its first job, if it must train where there is no such device."""
    missing = devices.missing(config["experiments"][name].get("descent", {}).get("device", "cpu"))
    sentence = f"config: experiments.{name}.descent.device: {missing}"
    if missing and trains_here():
        sys.exit(f"error: {sentence}")
    if missing and trains_here() is None:
        logger.warning(f"{sentence} (jobs on other machines may have one)")


def refused(sentence):
    """An input function that ends the run with a sentence; an exception would come with a traceback around it."""

    def refuse(wildcards):
        sys.exit(f"error: {sentence(wildcards)}")

    return refuse


def no_such_figure(wildcards):
    name, dot, kind = wildcards.unknown_figure.rpartition(".")
    if name in (*FIGURES, *OPTIONAL, "audit"):
        return f"figures are not made as .{kind}: build figures/{name}, which makes {', '.join(KINDS)}"
    return cards.unknown_name(
        name if kind in KINDS else wildcards.unknown_figure, ["all", "audit", *FIGURES, *OPTIONAL], "figure"
    )


def no_such_place(wildcards):
    target = wildcards.unknown_place
    if not AT:
        return f"{target} is built with --config scale=smoke"
    name = target.removeprefix("figures/")
    if target.startswith("figures/") and name.partition(".")[0] not in (*FIGURES, *OPTIONAL, "audit"):
        return cards.unknown_name(name, ["all", "audit", *FIGURES, *OPTIONAL], "figure")
    return f"with scale={config['scale']} this is {AT}{target}"


def no_such_target(wildcards):
    target = wildcards.unknown_target
    figures = {name: f"figures/{name}" for name in (*FIGURES, *OPTIONAL)}
    close = difflib.get_close_matches(target, [*figures, *TARGETS], n=1)
    hint = f"did you mean {figures.get(close[0], close[0])!r}?" if close else f"known are {', '.join(TARGETS)}"
    return f"unknown target {target!r}: {hint}"
