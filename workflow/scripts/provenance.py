from attnsvm.pipeline.running.script import reporting

with reporting(snakemake.log[0]):
    from attnsvm.pipeline import provenance

    given, output = snakemake.params, snakemake.output[0]
    results = f"{output.rpartition('figures/')[0]}results"
    drawn = [snakemake.input.figure] if isinstance(snakemake.input.figure, str) else list(snakemake.input.figure)
    asked = given.experiments, given.blocks, given.settings, given.files
    provenance.write(*asked, results, drawn, output, given.outside)
