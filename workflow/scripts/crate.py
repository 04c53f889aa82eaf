from attnsvm.pipeline.running.script import reporting

with reporting(snakemake.log[0]):
    from attnsvm.publish.exchange import crate

    output = snakemake.output[0]
    crate.write(output.removesuffix("crate") or ".", snakemake.params.figures, output)
