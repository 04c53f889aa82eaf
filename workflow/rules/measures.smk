rule measures:
    input:
        problems=gathered("problems"),
        descent=gathered("descent"),
        svm=gathered("svm"),
        code=code("measures"),
    output:
        table="results/{experiment}/measures.parquet",
        instances="results/{experiment}/instances.parquet",
        outcomes="results/{experiment}/outcomes.csv",
        certificates="results/{experiment}/certificates.csv",
    log:
        "results/logs/{experiment}/measures.log",
    benchmark:
        "results/benchmarks/{experiment}/measures.tsv"
    conda:
        "../../environment.yml"
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        settings=lambda wildcards: settings(wildcards, "measures"),
    message:
        "{wildcards.experiment}: measure and gather {input.svm}"
    script:
        "../scripts/measures.py"
