"""Gather the blocks of an experiment into its tables; few blocks are measured here, too."""


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
        **params_of("measures"),
    message:
        "{wildcards.experiment}: measure and gather the blocks"
    script:
        "../scripts/job.py"
