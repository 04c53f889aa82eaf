from attnsvm.pipeline.running.script import reporting

with reporting(snakemake.log[0]):
    from attnsvm.pipeline import standalone

    standalone.write(snakemake.wildcards.figure, snakemake.params.settings, snakemake.output[0])
