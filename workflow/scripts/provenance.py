from attnsvm.pipeline.script import reporting

with reporting(snakemake.log[0]):
    from attnsvm.pipeline import stages

    stages.provenance(
        snakemake.params.experiments,
        snakemake.params.settings,
        snakemake.params.code,
        snakemake.input.schema,
        snakemake.output[0],
    )
