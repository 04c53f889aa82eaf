rule descent:
    input:
        problems="results/{experiment}/{block}/problems.npz",
        code=code("descent"),
    output:
        "results/{experiment}/{block}/descent.npz",
    log:
        "results/logs/{experiment}/{block}/descent.log",
    benchmark:
        "results/benchmarks/{experiment}/{block}/descent.tsv"
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=120,
    params:
        settings=lambda wildcards: settings(wildcards, "descent"),
    message:
        "{wildcards.experiment} {wildcards.block}: train by gradient descent"
    script:
        "../scripts/descent.py"
