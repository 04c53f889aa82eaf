from attnsvm.pipeline.running.script import reporting

with reporting(snakemake.log[0]):
    from attnsvm.pipeline.running import stages

    given = snakemake.params
    stages.problems(snakemake.wildcards.experiment, given.settings, given.parts, snakemake.output[0])
