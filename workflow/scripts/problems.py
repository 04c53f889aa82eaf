from attnsvm.pipeline.script import reporting

with reporting(snakemake.log[0]):
    from attnsvm.pipeline import stages

    names = snakemake.wildcards.experiment, snakemake.wildcards.block
    stages.problems(names[0], snakemake.params.settings, names[1], snakemake.output[0])
