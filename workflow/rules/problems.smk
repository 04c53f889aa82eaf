"""Draw the problems of a block."""


rule problems:
    input:
        unpack(files(plan.block_files, "problems")),
    output:
        read_once(f"{AT}results/{{experiment}}/{{block}}/problems.npz"),
    log:
        f"{AT}results/logs/{{experiment}}/{{block}}/problems.log",
    benchmark:
        f"{AT}results/benchmarks/{{experiment}}/{{block}}/problems.tsv"
    conda:
        "../../environment.yml"
    resources:
        mem_mb=growing(1000),
        runtime=30,
    params:
        settings=asked(plan.settings, "problems"),
        code=asked(plan.code, "problems"),
        parts=asked(plan.parts),
    message:
        "{wildcards.experiment} {wildcards.block}: draw the problems"
    script:
        "../scripts/problems.py"
