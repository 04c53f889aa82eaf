"""Measure every block of an experiment and gather the blocks."""


# Of an experiment in many blocks: each is measured where it was trained, and what is gathered is small.
rule measures_of_block:
    input:
        unpack(files(plan.block_files, "measures")),
    output:
        f"{AT}results/{{experiment}}/{{block}}/measures.npz",
    log:
        f"{AT}results/logs/{{experiment}}/{{block}}/measures.log",
    benchmark:
        f"{AT}results/benchmarks/{{experiment}}/{{block}}/measures.tsv"
    conda:
        "../../environment.yml"
    resources:
        mem_mb=growing(2000),
        runtime=30,
    params:
        settings=asked(plan.settings, "measures"),
        code=asked(plan.code, "measures"),
        before=asked(plan.before, "measures"),
    message:
        "{wildcards.experiment} {wildcards.block}: measure"
    script:
        "../scripts/measures_of_block.py"


rule measures:
    input:
        unpack(files(plan.gathered_files)),
    output:
        table=f"{AT}results/{{experiment}}/measures.parquet",
        instances=f"{AT}results/{{experiment}}/instances.parquet",
        outcomes=f"{AT}results/{{experiment}}/outcomes.csv",
        cells=f"{AT}results/{{experiment}}/cells.csv",
        certificates=f"{AT}results/{{experiment}}/certificates.csv",
    log:
        f"{AT}results/logs/{{experiment}}/measures.log",
    benchmark:
        f"{AT}results/benchmarks/{{experiment}}/measures.tsv"
    conda:
        "../../environment.yml"
    resources:
        mem_mb=growing(2000),
        runtime=30,
    params:
        settings=asked(plan.settings, "measures"),
        code=asked(plan.code, "measures"),
        before=asked(plan.before, "measures"),
    message:
        "{wildcards.experiment}: measure and gather the blocks"
    script:
        "../scripts/measures.py"
