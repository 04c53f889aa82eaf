"""What goes out: the manuscript with its numbers, and a website of everything that was built."""

from attnsvm.pipeline import modules
from attnsvm.publish.paper import parts


rule paper_numbers:
    input:
        audits=of_wildcards(parts.audits, plan),
        tables=of_wildcards(parts.tables, plan),
        cost=plan.figure_files("audit", kinds=("json",)),
        certificates=expand(f"{AT}results/{{experiment}}/certificates.csv", experiment=EXPERIMENTS),
    output:
        f"{AT}results/paper/numbers.json",
    log:
        f"{AT}results/logs/paper/numbers.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        job=job("paper_numbers"),
        settings={key: value for key, value in config.items() if key in ("scale", "experiments", "figures")},
        figures=of_wildcards(parts.built, plan),
        code=of_wildcards(parts.numbers_code),
    message:
        "look up the numbers of the paper"
    script:
        "../scripts/job.py"


rule typeset:
    input:
        numbers=f"{AT}results/paper/numbers.json",
        pictures=lambda _: [*or_end(parts.pictures, plan).values()],
    output:
        pdf=f"{AT}paper/attnsvm.pdf",
        html=f"{AT}results/paper/manuscript.html",
    log:
        f"{AT}results/logs/paper/typeset.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        job=job("typeset"),
        figures=lambda _: [*or_end(parts.pictures, plan)],
        code=of_wildcards(parts.code),
    message:
        "typeset the paper"
    script:
        "../scripts/job.py"


rule site:
    """a website of everything: site/index.html"""
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
