"""Claims under other settings: the experiments that these make, and the matrix of claims by variants."""


rule matrix:
    input:
        files(plan.tables_elsewhere),
    output:
        csv=f"{AT}results/elsewhere/{{matrixed}}/matrix.csv",
        html=f"{AT}results/elsewhere/{{matrixed}}/matrix.html",
        pdf=f"{AT}results/elsewhere/{{matrixed}}/matrix.pdf",
        png=f"{AT}results/elsewhere/{{matrixed}}/matrix.png",
        svg=f"{AT}results/elsewhere/{{matrixed}}/matrix.svg",
    log:
        f"{AT}results/logs/elsewhere/{{matrixed}}/matrix.log",
    benchmark:
        f"{AT}results/benchmarks/elsewhere/{{matrixed}}/matrix.tsv"
    conda:
        "../../environment.yml"
    resources:
        mem_mb=growing(1000),
        runtime=10,
    params:
        **params_of("matrix"),
    message:
        "try the claims of {wildcards.matrixed} under other settings"
    script:
        "../scripts/job.py"


use rule matrix as matrices with:
    input:
        lambda wildcards: or_end(plan.matrices),
    output:
        csv=f"{AT}results/audit/elsewhere.csv",
        html=f"{AT}results/audit/elsewhere.html",
        pdf=f"{AT}figures/elsewhere.pdf",
        png=f"{AT}figures/elsewhere.png",
        svg=f"{AT}figures/elsewhere.svg",
    log:
        f"{AT}results/logs/audit/elsewhere.log",
    benchmark:
        f"{AT}results/benchmarks/audit/elsewhere.tsv"
    params:
        **params_of("matrices"),
    message:
        "every claim under other settings"
