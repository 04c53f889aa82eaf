"""The manuscript: its numbers in one file, and the typeset pages."""

from attnsvm.publish.paper import parts


rule paper_numbers:
    input:
        audits=lambda _: said(parts.audits, plan),
        tables=lambda _: said(parts.tables, plan),
        cost=plan.figure_files("audit", kinds=("json",)),
        certificates=expand(f"{AT}results/{{experiment}}/certificates.csv", experiment=EXPERIMENTS),
    output:
        f"{AT}results/paper/numbers.json",
    log:
        f"{AT}results/logs/paper/numbers.log",
    benchmark:
        f"{AT}results/benchmarks/paper/numbers.tsv"
    conda:
        "../../environment.yml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        settings={key: value for key, value in config.items() if key in ("scale", "experiments", "figures")},
        figures=lambda _: said(parts.built, plan),
        code=lambda _: said(parts.numbers_code),
    message:
        "look up the numbers of the paper"
    script:
        "../scripts/paper_numbers.py"


rule typeset:
    input:
        numbers=f"{AT}results/paper/numbers.json",
        pictures=lambda _: [*said(parts.pictures, plan).values()],
    output:
        pdf=f"{AT}paper/attnsvm.pdf",
        html=f"{AT}results/paper/manuscript.html",
        software=f"{AT}paper/software/paper.md",
    log:
        f"{AT}results/logs/paper/typeset.log",
    benchmark:
        f"{AT}results/benchmarks/paper/typeset.tsv"
    conda:
        "../../environment.yml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        figures=lambda _: [*said(parts.pictures, plan)],
        code=lambda _: said(parts.code),
    message:
        "typeset the paper"
    script:
        "../scripts/typeset.py"
