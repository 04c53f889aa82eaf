from attnsvm.pipeline.running.script import reporting

with reporting(snakemake.log[0]):
    from attnsvm.inspect.steps.gathering import gathered

    out = snakemake.output[0].rpartition("/")[0]
    given = snakemake.wildcards.model, snakemake.params.folder, list(snakemake.input.layers), snakemake.params.settings
    gathered(*given, out)
