from attnsvm.pipeline.running.script import reporting

with reporting(snakemake.log[0]):
    from attnsvm.pipeline.running import stages

    inputs = dict(snakemake.input.items())
    stages.measures_of_block(snakemake.wildcards.experiment, snakemake.params.settings, inputs, snakemake.output[0])
