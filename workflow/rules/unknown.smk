"""Targets that do not exist end here, with one sentence."""

# Inside somebody else's workflow a file that is not ours is none of our business.
if ALONE:

    rule unknown_figure:
        input:
            refused(lambda wildcards: targets.no_such_figure(wildcards.unknown_figure)),
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
            refused(lambda wildcards: targets.no_such_experiment(wildcards.unknown_experiment)),
        output:
            f"{AT}results/{{unknown_experiment}}/{{file}}",
        log:
            f"{AT}results/logs/unknown/{{unknown_experiment}}/{{file}}.log",
        conda:
            "../../environment.yml"
        shell:
            "exit 1"

    rule unknown_place:
        input:
            refused(lambda wildcards: targets.no_such_place(wildcards.unknown_place, AT)),
        output:
            "{unknown_place}",
        log:
            f"{AT}results/logs/unknown/{{unknown_place}}.place.log",
        conda:
            "../../environment.yml"
        shell:
            "exit 1"

    rule unknown_target:
        input:
            refused(lambda wildcards: targets.no_such_target(wildcards.unknown_target)),
        output:
            "{unknown_target}",
        log:
            f"{AT}results/logs/unknown/{{unknown_target}}.target.log",
        conda:
            "../../environment.yml"
        shell:
            "exit 1"
