"""Beside every figure, where it comes from."""


rule provenance:
    input:
        figure=lambda wildcards: plan.figure_files(wildcards.pictured, kinds=jobs.drawn(wildcards.pictured)),
        cells=asked(plan.counted, "cells"),
        outcomes=asked(plan.counted, "outcomes"),
        certificates=asked(plan.counted, "certificates"),
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
        blocks=lambda wildcards: {name: list(said(plan.blocks, name)) for name in jobs.behind(wildcards.pictured)},
        settings=config["figures"],
        outside=asked(plan.all_outside),
        files=asked(jobs.all_files),
        code=said(jobs.writer_code, "provenance"),
    message:
        "say where {wildcards.pictured} comes from"
    script:
        "../scripts/provenance.py"
