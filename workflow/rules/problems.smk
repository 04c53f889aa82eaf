rule problems:
    input:
        code=code("problems"),
    output:
        "results/{experiment}/{block}/problems.npz",
    log:
        "results/logs/{experiment}/{block}/problems.log",
    benchmark:
        "results/benchmarks/{experiment}/{block}/problems.tsv"
    conda:
        "../../environment.yml"
    resources:
        mem_mb=1000,
        runtime=30,
    params:
        settings=lambda wildcards: settings(wildcards, "problems"),
    message:
        "{wildcards.experiment} {wildcards.block}: draw the problems"
    script:
        "../scripts/problems.py"
