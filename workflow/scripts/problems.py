from attnsvm.pipeline.script import reporting

with reporting(snakemake.log[0]):
    from attnsvm.pipeline import stages

    stages.problems(
        snakemake.wildcards.experiment, snakemake.params.settings, snakemake.wildcards.block, snakemake.output[0]
    )
