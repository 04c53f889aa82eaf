# Targets that do not exist end here, with one sentence.


rule unknown_figure:
    input:
        unknown("figure", ("all", *FIGURES)),
    output:
        "figures/{unknown_figure}",
    log:
        "results/logs/unknown/{unknown_figure}.log",
    conda:
        "../../environment.yml"
    shell:
        "exit 1"


rule unknown_experiment:
    input:
        unknown("experiment", EXPERIMENTS),
    output:
        "results/{unknown_experiment}/{file}",
    log:
        "results/logs/unknown/{unknown_experiment}/{file}.log",
    conda:
        "../../environment.yml"
    shell:
        "exit 1"
