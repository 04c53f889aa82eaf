"""The pages of the report: every figure with its caption, and the audit with its pictures."""

from pathlib import Path

from attnsvm.publish.documents import report as report_pages

# For workflow/report/workflow.rst, the first page; read anew by `--report`, after the run that wrote it.
config["summary"] = report_pages.summary(Path(f"{AT}results/audit/claims.csv"))


rule pages:
    input:
        pictures=expand(f"{AT}figures/{{name}}.png", name=[*FIGURES, "audit"]),
        claims=f"{AT}results/audit/claims.csv",
        audit=f"{AT}results/audit/audit.html",
    output:
        **{
            card.name: report(
                f"{AT}results/report/{card.name}.html",
                category=report_pages.heading(card),
                labels={"figure": card.name},
            )
            for card in cards.figures()
        },
        audit=report(f"{AT}results/report/audit.html", category=report_pages.FIRST, labels={"figure": "every claim"}),
    log:
        f"{AT}results/logs/report/pages.log",
    benchmark:
        f"{AT}results/benchmarks/report/pages.tsv"
    conda:
        "../../environment.yml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        texts={card.name: {"title": card.title, "caption": config["captions"][card.name]} for card in cards.figures()},
        code=said(jobs.writer_code, "report"),
    message:
        "write the pages of the report"
    script:
        "../scripts/pages.py"
