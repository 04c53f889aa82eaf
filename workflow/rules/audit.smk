"""Every claim against the tables behind the figures."""


# The page of the claims of one experiment, or of a group of figures; the audit leaves out those that are optional.
rule claims_of:
    input:
        figures=lambda wildcards: plan.figure_files(*targets.shown(wildcards.claimed), kinds=["csv"]),
        certificates=lambda wildcards: [
            f"{AT}results/{name}/certificates.csv" for name in targets.measured(wildcards.claimed)
        ],
    output:
        csv=f"{AT}results/audit/{{claimed}}.csv",
        html=f"{AT}results/audit/{{claimed}}.html",
        md=f"{AT}results/audit/{{claimed}}.md",
    log:
        f"{AT}results/logs/audit/{{claimed}}.log",
    benchmark:
        f"{AT}results/benchmarks/audit/{{claimed}}.tsv"
    conda:
        "../../environment.yml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        **params_of("claims_of"),
    message:
        "check the claims of {wildcards.claimed}"
    script:
        "../scripts/job.py"


# The audit of every run: all claims that are not optional.
use rule claims_of as claims with:
    input:
        figures=expand(f"{AT}figures/{{figure}}.csv", figure=FIGURES),
        certificates=expand(f"{AT}results/{{experiment}}/certificates.csv", experiment=EXPERIMENTS),
    output:
        csv=f"{AT}results/audit/claims.csv",
        html=report(
            f"{AT}results/audit/audit.html",
            caption="../report/audit.rst",
            category="Audit",
            labels={"figure": "every claim"},
        ),
        md=f"{AT}results/audit/audit.md",
    log:
        f"{AT}results/logs/audit/claims.log",
    benchmark:
        f"{AT}results/benchmarks/audit/claims.tsv"
    params:
        **params_of("claims"),
    message:
        "check every claim"


rule audit_figure:
    input:
        claims=f"{AT}results/audit/claims.csv",
    output:
        pdf=f"{AT}figures/audit.pdf",
        png=report(f"{AT}figures/audit.png", category="Audit", labels={"figure": "every verdict"}),
        svg=f"{AT}figures/audit.svg",
    log:
        f"{AT}results/logs/figures/audit.log",
    benchmark:
        f"{AT}results/benchmarks/figures/audit.tsv"
    conda:
        "../../environment.yml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        **params_of("audit_figure"),
    message:
        "draw the audit"
    script:
        "../scripts/job.py"
