"""Draw a figure from the tables of its experiments, and pack the code that draws it from its csv."""


rule figure:
    input:
        unpack(files(plan.tables)),
    output:
        pdf=f"{AT}figures/{{figure}}.pdf",
        png=f"{AT}figures/{{figure}}.png",
        svg=f"{AT}figures/{{figure}}.svg",
        csv=f"{AT}figures/{{figure}}.csv",
    log:
        f"{AT}results/logs/figures/{{figure}}.log",
    benchmark:
        f"{AT}results/benchmarks/figures/{{figure}}.tsv"
    conda:
        "../../environment.yml"
    resources:
        mem_mb=growing(1000),
        runtime=10,
    params:
        settings=config["figures"],
        code=asked(jobs.figure_code),
        before=lambda wildcards: said(plan.histories, jobs.behind(wildcards.figure)),
    message:
        "draw {wildcards.figure}"
    script:
        "../scripts/figure.py"


rule standalone:
    input:
        f"{AT}figures/{{figure}}.csv",
    output:
        f"{AT}figures/{{figure}}.plot.pyz",
    log:
        f"{AT}results/logs/figures/{{figure}}.standalone.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=500,
        runtime=10,
    params:
        settings=config["figures"],
        code=asked(jobs.figure_code),
        writer=said(jobs.writer_code, "standalone"),
    message:
        "pack the code of {wildcards.figure}"
    script:
        "../scripts/standalone.py"
