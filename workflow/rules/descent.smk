"""Train the problems of a block."""


rule descent:
    input:
        unpack(where_it_can_train(files(plan.block_files, "descent"))),
    output:
        read_once(f"{AT}results/{{experiment}}/{{block}}/descent.npz"),
    log:
        f"{AT}results/logs/{{experiment}}/{{block}}/descent.log",
    benchmark:
        f"{AT}results/benchmarks/{{experiment}}/{{block}}/descent.tsv"
    conda:
        "../../environment.yml"
    # More is the profile's to give, and changes no byte: set-threads, or --set-threads descent=4.
    threads: 1
    resources:
        mem_mb=growing(2000),
        runtime=120,
    params:
        settings=asked(plan.settings, "descent"),
        code=asked(plan.code, "descent"),
        before=asked(plan.before, "descent"),
    message:
        "{wildcards.experiment} {wildcards.block}: train by gradient descent"
    script:
        "../scripts/descent.py"
