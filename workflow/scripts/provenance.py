from attnsvm.script import reporting

with reporting(snakemake.log[0]):
    from attnsvm import stages

    stages.provenance(
        snakemake.params.experiments,
        snakemake.params.settings,
        snakemake.params.code,
        snakemake.input.schema,
        snakemake.output[0],
    )
