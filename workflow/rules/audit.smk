"""Every claim against the tables behind the figures."""


rule claims:
    input:
        figures=expand(f"{AT}figures/{{figure}}.csv", figure=FIGURES),
        certificates=expand(f"{AT}results/{{experiment}}/certificates.csv", experiment=EXPERIMENTS),
    output:
        csv=f"{AT}results/audit/claims.csv",
        html=f"{AT}results/audit/audit.html",
        md=f"{AT}results/audit/audit.md",
    log:
        f"{AT}results/logs/audit/claims.log",
    benchmark:
        f"{AT}results/benchmarks/audit/claims.tsv"
    conda:
        "../../environment.yml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        claiming=[card.name for card in cards.claiming()],
        code=said(jobs.claims_code),
        before=lambda _: [history(name) for name in EXPERIMENTS],
    message:
        "check every claim"
    script:
        "../scripts/claims.py"


rule optional_claims:
    input:
        figure=f"{AT}figures/{{optional}}.csv",
        certificates=lambda wildcards: [
            f"{AT}results/{name}/certificates.csv" for name in jobs.behind(wildcards.optional)
        ],
    output:
        csv=f"{AT}results/audit/{{optional}}.csv",
        html=f"{AT}results/audit/{{optional}}.html",
        md=f"{AT}results/audit/{{optional}}.md",
    log:
        f"{AT}results/logs/audit/{{optional}}.log",
    benchmark:
        f"{AT}results/benchmarks/audit/{{optional}}.tsv"
    conda:
        "../../environment.yml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=lambda wildcards: said(jobs.claims_code, wildcards.optional),
        before=lambda wildcards: history(wildcards.optional),
    message:
        "check the claims of {wildcards.optional}"
    script:
        "../scripts/optional_claims.py"


rule audit_figure:
    input:
        claims=f"{AT}results/audit/claims.csv",
    output:
        pdf=f"{AT}figures/audit.pdf",
        png=f"{AT}figures/audit.png",
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
        settings=config["figures"],
        code=said(jobs.audit_figure_code),
    message:
        "draw the audit"
    script:
        "../scripts/audit_figure.py"
