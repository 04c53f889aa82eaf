"""The front door: configuration, the stages, and the targets figures/all, figures/<name> and audit."""

from snakemake.utils import min_version

min_version("9.0")


configfile: "config/config.yaml"


report: "workflow/report/workflow.rst"


include: "workflow/rules/common.smk"
include: "workflow/rules/internals.smk"
include: "workflow/rules/help.smk"


# The targets of figures, the audit and claims under other settings, as `snakemake figures/svm_rank` and `snakemake
# elsewhere/svm_rank`; the first, figures/all, is the default.
for target in (*targets.of_figures(), *targets.of_elsewhere()):

    rule:
        name:
            target
        input:
            plan.target(target),


# What `snakemake report --report report.html` (make report) puts into one file.
rule:
    name:
        "report"
    input:
        plan.target("figures/all"),
        plan.target("audit"),


rule paper:
    input:
        f"{AT}paper/attnsvm.pdf",
        f"{AT}results/paper/manuscript.html",
        f"{AT}paper/software/paper.md",


include: "workflow/rules/blocks.smk"
include: "workflow/rules/figures.smk"
include: "workflow/rules/claims.smk"
include: "workflow/rules/publication.smk"


# Inside somebody else's workflow a file that is not ours is none of our business.
if ALONE:

    include: "workflow/rules/unknown.smk"


# Seconds each: on a cluster they run beside Snakemake instead of waiting in the queue.
localrules:
    measures,
    figure,
    standalone,
    claims,
    claims_of,
    audit_figure,
    matrix,
    matrices,
    provenance,
    paper_numbers,
    typeset,
    site,


let_grow(workflow.modifier.rules)
begin_the_longest_first(workflow.modifier.rules)
describe_rules(targets.descriptions(), targets.STEP)
