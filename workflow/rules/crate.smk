"""A folder for an archive: figures, tables and workflow, described by an RO-Crate."""


rule crate:
    input:
        figures=plan.figure_files(*FIGURES),
        audit=plan.figure_files("audit", kinds=("pdf", "png", "svg", "json")),
        claims=[f"{AT}results/audit/{name}" for name in ("claims.csv", "audit.html", "audit.md")],
        tables=expand(f"{AT}results/{{experiment}}/measures.parquet", experiment=EXPERIMENTS),
    output:
        directory(f"{AT}crate"),
    log:
        f"{AT}results/logs/crate.log",
    benchmark:
        f"{AT}results/benchmarks/crate.tsv"
    conda:
        "../../environment.yml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        **params_of("crate"),
    message:
        "describe the build for an archive"
    script:
        "../scripts/job.py"
