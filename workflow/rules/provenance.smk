"""Beside every figure, where it comes from."""


rule provenance:
    input:
        figure=of_wildcards(plan.drawn_files),
        cells=of_wildcards(plan.counted, "cells"),
        outcomes=of_wildcards(plan.counted, "outcomes"),
        certificates=of_wildcards(plan.counted, "certificates"),
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
        **params_of("provenance"),
    message:
        "say where {wildcards.pictured} comes from"
    script:
        "../scripts/job.py"
