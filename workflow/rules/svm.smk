"""Solve and certify the max-margin problems of a block."""


rule svm:
    input:
        unpack(files(plan.block_files, "svm")),
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
        settings=asked(plan.settings, "svm"),
        code=asked(plan.code, "svm"),
        before=asked(plan.before, "svm"),
    message:
        "{wildcards.experiment} {wildcards.block}: solve and certify the SVMs"
    script:
        "../scripts/svm.py"
