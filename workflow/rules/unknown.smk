"""Targets that do not exist end here, with one sentence."""

REFUSED = {
    "unknown_figure": (
        "{unknown_at}figures/{unknown_figure}",
        lambda wildcards: targets.no_such_figure(wildcards.unknown_figure),
    ),
    "unknown_experiment": (
        f"{AT}results/{{unknown_experiment}}/{{file}}",
        lambda wildcards: targets.no_such_experiment(wildcards.unknown_experiment),
    ),
    "unknown_page": (
        f"{AT}results/audit/{{unknown_page}}",
        lambda wildcards: targets.no_such_page(wildcards.unknown_page),
    ),
    "unknown_elsewhere": (
        "elsewhere/{unknown_elsewhere}",
        lambda wildcards: targets.no_such_elsewhere(wildcards.unknown_elsewhere),
    ),
    "unknown_place": ("{unknown_place}", lambda wildcards: targets.no_such_place(wildcards.unknown_place, AT)),
    "unknown_target": ("{unknown_target}", lambda wildcards: targets.no_such_target(wildcards.unknown_target)),
}

for refusal, (target, sentence) in REFUSED.items():

    rule:
        name:
            refusal
        input:
            refused(sentence),
        output:
            target,
        log:
            f"{AT}results/logs/unknown/{target}.{refusal}.log",
        conda:
            "../../environment.yml"
        shell:
            "exit 1"
