"""A website of everything that was built."""

from attnsvm.pipeline import modules


rule site:
    input:
        figures=plan.figure_files(*FIGURES),
        audit=plan.figure_files("audit", kinds=("svg", "json")),
        claims=f"{AT}results/audit/claims.csv",
        paper=[f"{AT}results/paper/manuscript.html", f"{AT}paper/attnsvm.pdf"],
        certificates=expand(f"{AT}results/{{experiment}}/certificates.csv", experiment=EXPERIMENTS),
    output:
        directory(f"{AT}site"),
    log:
        f"{AT}results/logs/site.log",
    benchmark:
        f"{AT}results/benchmarks/site.tsv"
    conda:
        "../../environment.yml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        job=job("site"),
        captions=config["captions"],
        notes=config["notes"],
        code=of_wildcards(modules.hash_of_site),
    message:
        "build the site"
    script:
        "../scripts/job.py"
