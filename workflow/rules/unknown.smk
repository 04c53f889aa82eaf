"""Targets that do not exist end here, with one sentence."""


rule unknown_figure:
    input:
        unknown("figure", ("all", *FIGURES)),
    output:
        "{unknown_at}figures/{unknown_figure}",
    log:
        f"{AT}results/logs/unknown/{{unknown_at}}{{unknown_figure}}.log",
    conda:
        "../../environment.yml"
    shell:
        "exit 1"


rule unknown_experiment:
    input:
        unknown("experiment", EXPERIMENTS),
    output:
        f"{AT}results/{{unknown_experiment}}/{{file}}",
    log:
        f"{AT}results/logs/unknown/{{unknown_experiment}}/{{file}}.log",
    conda:
        "../../environment.yml"
    shell:
        "exit 1"
