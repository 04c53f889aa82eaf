"""Every claim against the tables behind the figures; and under other settings: the experiments that these make, and the
matrix of claims by variants.
"""


# The page of the claims of one experiment, or of a group of figures; the audit leaves out those that are optional.
rule claims_of:
    input:
        unpack(inputs_of("claims_of")),
    output:
        csv=f"{AT}results/audit/{{claimed}}.csv",
        html=f"{AT}results/audit/{{claimed}}.html",
    log:
        f"{AT}results/logs/audit/{{claimed}}.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        **params_of("claims_of"),
    message:
        "check the claims of {wildcards.claimed}"
    script:
        "../scripts/job.py"


# The audit of every run: all claims that are not optional.
use rule claims_of as claims with:
    input:
        unpack(inputs_of("claims")),
    output:
        csv=f"{AT}results/audit/claims.csv",
        html=report(
            f"{AT}results/audit/audit.html",
            caption="../report/audit.rst",
            category="Audit",
            labels={"figure": "every claim"},
        ),
    log:
        f"{AT}results/logs/audit/claims.log",
    params:
        **params_of("claims"),
    message:
        "check every claim"


rule audit_figure:
    input:
        unpack(inputs_of("audit_figure")),
    output:
        pdf=f"{AT}figures/audit.pdf",
        png=f"{AT}figures/audit.png",
        svg=report(f"{AT}figures/audit.svg", category="Audit", labels={"figure": "every verdict"}),
    log:
        f"{AT}results/logs/figures/audit.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        **params_of("audit_figure"),
    message:
        "draw the audit"
    script:
        "../scripts/job.py"


# A variant is small: all stages of a block of it are one job. There is a rule for each set of stages.
for name, (stages, experiment) in targets.rules_of_variants().items():

    rule:
        name:
            name
        input:
            unpack(inputs_of("variant", name)),
        output:
            [
                path if stage == "measures" else read_once(path)
                for stage, path in zip(
                    stages,
                    multiext(f"{AT}results/{{experiment}}/{{block}}/", *(f"{stage}.npz" for stage in stages)),
                )
            ],
        log:
            f"{AT}results/logs/{{experiment}}/{{block}}/variant.log",
        wildcard_constraints:
            experiment=experiment,
        cache: CACHED
        conda:
            "../../environment.yml"
        threads: 1
        resources:
            mem_mb=growing(2000),
            runtime=120,
        params:
            **params_of("variant"),
        message:
            "{wildcards.experiment} {wildcards.block}: try other settings"
        script:
            "../scripts/job.py"


# What is read in its cells decides which variants are run on.
checkpoint cells:
    input:
        unpack(inputs_of("cells")),
    output:
        csv=f"{AT}results/elsewhere/{{matrixed}}/cells.csv",
        certificates=f"{AT}results/elsewhere/{{matrixed}}/cells_certificates.csv",
    log:
        f"{AT}results/logs/elsewhere/{{matrixed}}/cells.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=growing(1000),
        runtime=10,
    params:
        **params_of("cells"),
    message:
        "read the claims of {wildcards.matrixed} under other settings"
    script:
        "../scripts/job.py"


rule matrix:
    input:
        unpack(inputs_of("matrix")),
        longer=lambda wildcards: or_end(plan.run_on, wildcards.matrixed, checkpoints.cells.get(**wildcards).output.csv),
    output:
        csv=f"{AT}results/elsewhere/{{matrixed}}/matrix.csv",
        certificates=f"{AT}results/elsewhere/{{matrixed}}/certificates.csv",
        html=f"{AT}results/elsewhere/{{matrixed}}/matrix.html",
    log:
        f"{AT}results/logs/elsewhere/{{matrixed}}/matrix.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=growing(1000),
        runtime=10,
    params:
        **params_of("matrix"),
    message:
        "try the claims of {wildcards.matrixed} under other settings"
    script:
        "../scripts/job.py"


use rule matrix as matrices with:
    input:
        unpack(inputs_of("matrices")),
    output:
        csv=f"{AT}results/audit/elsewhere.csv",
        certificates=f"{AT}results/audit/elsewhere_certificates.csv",
        html=f"{AT}results/audit/elsewhere.html",
    log:
        f"{AT}results/logs/audit/elsewhere.log",
    params:
        **params_of("matrices"),
    message:
        "every claim under other settings"
