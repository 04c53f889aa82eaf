"""Solve and certify the max-margin problems of a block."""


rule svm:
    input:
        unpack(of_block("svm")),
    output:
        read_once(f"{AT}results/{{experiment}}/{{block}}/svm.npz"),
    log:
        f"{AT}results/logs/{{experiment}}/{{block}}/svm.log",
    benchmark:
        f"{AT}results/benchmarks/{{experiment}}/{{block}}/svm.tsv"
    conda:
        "../../environment.yml"
    resources:
        mem_mb=growing(2000),
        runtime=120,
    params:
        settings=settings("svm"),
        code=code("svm"),
        before=before("svm"),
    message:
        "{wildcards.experiment} {wildcards.block}: solve and certify the SVMs"
    script:
        "../scripts/svm.py"
