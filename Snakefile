"""The front door: configuration, the stages, and the targets figures/all, figures/<name> and audit."""

from snakemake.utils import min_version

min_version("9.17")


configfile: "config/config.yaml"


report: "workflow/report/workflow.rst"


include: "workflow/rules/common.smk"
include: "workflow/rules/internals.smk"


# The targets of figures and of the audit, as `snakemake figures/svm_rank`; the first, figures/all, is the default.
for target in targets.of_figures():

    rule:
        """figures and their claims, shown in figures/README.md"""
        name:
            target
        input:
            plan.target(target),


for target in targets.of_elsewhere():

    rule:
        """the claims of a figure under other settings"""
        name:
            target
        input:
            plan.target(target),


# What `snakemake report --report report.html` (make report) puts into one file.
rule:
    """every figure and the audit; with --report report.html, in one file"""
    name:
        "report"
    input:
        plan.target("figures/all"),
        plan.target("audit"),


rule paper:
    """the manuscript, typeset: paper/attnsvm.pdf"""
    input:
        f"{AT}paper/attnsvm.pdf",
        f"{AT}results/paper/manuscript.html",


include: "workflow/rules/blocks.smk"
include: "workflow/rules/claims.smk"
include: "workflow/rules/figures.smk"
include: "workflow/rules/publication.smk"


# Seconds each: on a cluster they run beside Snakemake instead of waiting in the queue.
localrules:
    measures,
    figure,
    claims,
    claims_of,
    audit_figure,
    matrix,
    matrices,
    provenance,
    paper_numbers,
    typeset,
    site,


if MAIN and alone():
    check_what_was_typed()
