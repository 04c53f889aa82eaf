"""The front door: configuration, the stages, and the targets figures/all, figures/<name> and audit."""

from snakemake.utils import min_version

min_version("9.0")


configfile: "config/config.yaml"


include: "workflow/rules/common.smk"
include: "workflow/rules/internals.smk"


rule:
    name:
        "figures/all"
    input:
        expand(f"{AT}figures/{{figure}}.{{kind}}", figure=FIGURES, kind=KINDS),


# One target per figure: `snakemake figures/svm_rank`.
for figure in FIGURES:

    rule:
        name:
            f"figures/{figure}"
        input:
            expand(f"{AT}figures/{{figure}}.{{kind}}", figure=figure, kind=KINDS),


rule audit:
    input:
        AUDIT,


include: "workflow/rules/problems.smk"
include: "workflow/rules/descent.smk"
include: "workflow/rules/svm.smk"
include: "workflow/rules/cache.smk"
include: "workflow/rules/measures.smk"
include: "workflow/rules/figures.smk"
include: "workflow/rules/audit.smk"
include: "workflow/rules/provenance.smk"
include: "workflow/rules/unknown.smk"


# Seconds each: on a cluster they run beside Snakemake instead of waiting in the queue.
localrules:
    measures,
    figure,
    claims,
    audit_figure,
    provenance,
