from attnsvm.pipeline.running.script import reporting

with reporting(snakemake.log[0]):
    from attnsvm.inspect.steps.measuring import written

    written(snakemake.wildcards.model, snakemake.input.layer, snakemake.params.settings, snakemake.output[0])
