rule svm:
    input:
        problems="results/{experiment}/{block}/problems.npz",
        descent="results/{experiment}/{block}/descent.npz",
        code=code("svm"),
    output:
        "results/{experiment}/{block}/svm.npz",
    log:
        "results/logs/{experiment}/{block}/svm.log",
    benchmark:
        "results/benchmarks/{experiment}/{block}/svm.tsv"
    conda:
        "../../environment.yml"
    resources:
        mem_mb=2000,
        runtime=120,
    params:
        settings=lambda wildcards: settings(wildcards, "svm"),
    message:
        "{wildcards.experiment} {wildcards.block}: solve and certify the SVMs"
    script:
        "../scripts/svm.py"
