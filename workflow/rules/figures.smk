"""Draw a figure from the tables of its experiments, pack the code that draws it, and say where it comes from."""


use rule audit_figure as figure with:
    input:
        unpack(inputs_of("figure")),
    output:
        # `update`: a figure stays until another one is drawn, whatever is wrong with the code that is to draw it.
        pdf=update(f"{AT}figures/{{figure}}.pdf"),
        png=update(f"{AT}figures/{{figure}}.png"),
        svg=report(
            update(f"{AT}figures/{{figure}}.svg"),
            caption="../report/figure.rst",
            category=lambda wildcards: cards.SECTIONS[cards.read(wildcards.figure).section],
            labels={"figure": "{figure}"},
        ),
        csv=update(f"{AT}figures/{{figure}}.csv"),
    log:
        f"{AT}results/logs/figures/{{figure}}.log",
    priority: begins("figure")
    resources:
        mem_mb=growing(1000),
        runtime=10,
    params:
        **params_of("figure"),
    message:
        "draw {wildcards.figure}"


use rule audit_figure as provenance with:
    input:
        unpack(inputs_of("provenance")),
    output:
        f"{AT}figures/{{pictured}}.json",
    log:
        f"{AT}results/logs/figures/{{pictured}}.provenance.log",
    params:
        **params_of("provenance"),
    message:
        "say where {wildcards.pictured} comes from"
