"""Draw the problems of a block."""


rule problems:
    input:
        unpack(of_block("problems")),
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
        settings=settings("problems"),
        code=code("problems"),
        parts=parts,
    message:
        "{wildcards.experiment} {wildcards.block}: draw the problems"
    script:
        "../scripts/problems.py"
