# Beside every figure, where it comes from.


rule provenance:
    input:
        figure=lambda wildcards: drawn(wildcards.pictured),
        outcomes=lambda wildcards: [f"results/{name}/outcomes.csv" for name in behind(wildcards.pictured)],
        certificates=lambda wildcards: [f"results/{name}/certificates.csv" for name in behind(wildcards.pictured)],
        code=lambda wildcards: sorted({*module_files("attnsvm.pipeline.stages", "provenance"), "workflow/scripts/provenance.py"}),
        schema="workflow/schemas/provenance.schema.yaml",
    output:
        "figures/{pictured}.json",
    log:
        "results/logs/figures/{pictured}.provenance.log",
    benchmark:
        "results/benchmarks/figures/{pictured}.provenance.tsv"
    conda:
        "../../environment.yml"
    resources:
        mem_mb=500,
        runtime=10,
    params:
        experiments=lambda wildcards: {name: config["experiments"][name] for name in behind(wildcards.pictured)},
        settings=config["figures"],
        code=lambda wildcards: all_code(wildcards.pictured),
    message:
        "say where {wildcards.pictured} comes from"
    script:
        "../scripts/provenance.py"
