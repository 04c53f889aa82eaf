"""Targets that do not exist end here, with one sentence."""

import difflib
import sys

TARGETS = ["figures/all", "figures/audit", *(f"figures/{name}" for name in FIGURES), "audit", "report"]


def refused(sentence):
    """An input function that ends the run with a sentence; an exception would come with a traceback around it."""

    def refuse(wildcards):
        sys.exit(f"error: {sentence(wildcards)}")

    return refuse


def no_such_figure(wildcards):
    name, dot, kind = wildcards.unknown_figure.rpartition(".")
    if name in (*FIGURES, "audit"):
        return f"figures are not made as .{kind}: build figures/{name}, which makes {', '.join(KINDS)}"
    return cards.unknown_name(name if kind in KINDS else wildcards.unknown_figure, ["all", "audit", *FIGURES], "figure")


def no_such_target(wildcards):
    target = wildcards.unknown_target
    figures = {name: f"figures/{name}" for name in FIGURES}
    close = difflib.get_close_matches(target, [*figures, *TARGETS], n=1)
    hint = f"did you mean {figures.get(close[0], close[0])!r}?" if close else f"known are {', '.join(TARGETS)}"
    return f"unknown target {target!r}: {hint}"


rule unknown_figure:
    input:
        refused(no_such_figure),
    output:
        f"{AT}figures/{{unknown_figure}}",
    log:
        f"{AT}results/logs/unknown/{{unknown_figure}}.log",
    conda:
        "../../environment.yml"
    shell:
        "exit 1"


rule unknown_experiment:
    input:
        refused(lambda wildcards: cards.unknown_name(wildcards.unknown_experiment, EXPERIMENTS)),
    output:
        f"{AT}results/{{unknown_experiment}}/{{file}}",
    log:
        f"{AT}results/logs/unknown/{{unknown_experiment}}/{{file}}.log",
    conda:
        "../../environment.yml"
    shell:
        "exit 1"


# Inside somebody else's workflow a file that is not ours is none of our business.
if ALONE:

    rule unknown_target:
        input:
            refused(no_such_target),
        output:
            "{unknown_target}",
        log:
            f"{AT}results/logs/unknown/{{unknown_target}}.target.log",
        conda:
            "../../environment.yml"
        shell:
            "exit 1"
