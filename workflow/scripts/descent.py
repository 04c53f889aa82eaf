from attnsvm.pipeline.script import reporting

with reporting(snakemake.log[0]):
    from attnsvm.pipeline import stages

    stages.descent(
        snakemake.wildcards.experiment,
        snakemake.params.settings,
        snakemake.input.problems,
        snakemake.output[0],
        snakemake.threads,
    )
