# Every claim against the tables behind the figures.


rule claims:
    input:
        figures=expand("figures/{figure}.csv", figure=FIGURES),
        certificates=expand("results/{experiment}/certificates.csv", experiment=EXPERIMENTS),
        code=claims_code(),
    output:
        csv="results/audit/claims.csv",
        html=report(
            "results/audit/audit.html",
            caption="../report/audit_page.rst",
            category="1 The audit",
            labels={"figure": "audit, every claim"},
        ),
        md="results/audit/audit.md",
    log:
        "results/logs/audit/claims.log",
    benchmark:
        "results/benchmarks/audit/claims.tsv"
    conda:
        "../../environment.yml"
    resources:
        mem_mb=1000,
        runtime=10,
    message:
        "check every claim"
    script:
        "../scripts/claims.py"


rule audit_figure:
    input:
        claims="results/audit/claims.csv",
        code=audit_figure_code(),
    output:
        pdf="figures/audit.pdf",
        png=report(
            "figures/audit.png",
            caption="../report/audit.rst",
            category="1 The audit",
            labels={"figure": "audit, overview"},
        ),
    log:
        "results/logs/figures/audit.log",
    benchmark:
        "results/benchmarks/figures/audit.tsv"
    conda:
        "../../environment.yml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        settings=config["figures"],
    message:
        "draw the audit"
    script:
        "../scripts/audit_figure.py"
