"""What goes out: the manuscript with its numbers, and a website of everything that was built."""

from attnsvm.publish.paper import parts

plan.further |= or_end(parts.jobs, plan, config)


use rule audit_figure as paper_numbers with:
    input:
        unpack(inputs_of("paper_numbers")),
    output:
        f"{AT}results/paper/numbers.json",
    log:
        f"{AT}results/logs/paper/numbers.log",
    params:
        **params_of("paper_numbers"),
    message:
        "look up the numbers of the paper"


rule typeset:
    input:
        unpack(inputs_of("typeset")),
    output:
        pdf=f"{AT}paper/attnsvm.pdf",
        html=f"{AT}results/paper/manuscript.html",
    log:
        f"{AT}results/logs/paper/typeset.log",
    conda:
        "../../environment-more.yml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        **params_of("typeset"),
    message:
        "typeset the paper"
    script:
        "../scripts/job.py"


rule site:
    """a website of everything: site/index.html"""
    input:
        unpack(inputs_of("site")),
    output:
        directory(f"{AT}site"),
    log:
        f"{AT}results/logs/site.log",
    conda:
        "../../environment-more.yml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        **params_of("site"),
    message:
        "build the site"
    script:
        "../scripts/job.py"
