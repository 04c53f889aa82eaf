"""Beside every figure, where it comes from."""


rule provenance:
    input:
        figure=lambda wildcards: [f"{AT}figures/{wildcards.pictured}.{kind}" for kind in jobs.drawn(wildcards.pictured)],
        cells=counted("cells"),
        outcomes=counted("outcomes"),
        certificates=counted("certificates"),
    output:
        f"{AT}figures/{{pictured}}.json",
    log:
        f"{AT}results/logs/figures/{{pictured}}.provenance.log",
    benchmark:
        f"{AT}results/benchmarks/figures/{{pictured}}.provenance.tsv"
    conda:
        "../../environment.yml"
    resources:
        mem_mb=500,
        runtime=10,
    params:
        experiments=lambda wildcards: {name: config["experiments"][name] for name in jobs.behind(wildcards.pictured)},
        blocks=lambda wildcards: {name: list(blocks_of(name)) for name in jobs.behind(wildcards.pictured)},
        settings=config["figures"],
        outside=lambda wildcards: {name: found for name in jobs.behind(wildcards.pictured) if (found := outside(name))},
        files=lambda wildcards: said(jobs.all_files, wildcards.pictured),
        code=said(jobs.provenance_code),
    message:
        "say where {wildcards.pictured} comes from"
    script:
        "../scripts/provenance.py"
