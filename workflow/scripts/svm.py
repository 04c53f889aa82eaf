from attnsvm.pipeline.script import reporting

with reporting(snakemake.log[0]):
    from attnsvm.pipeline import stages

    stages.svm(
        snakemake.wildcards.experiment,
        snakemake.params.settings,
        snakemake.input.problems,
        snakemake.input.descent,
        snakemake.output[0],
    )
