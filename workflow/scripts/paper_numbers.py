from attnsvm.pipeline.running.script import reporting

with reporting(snakemake.log[0]):
    from attnsvm.publish.paper import declared, numbers

    output, given = snakemake.output[0], snakemake.params
    folder = output.removesuffix("results/paper/numbers.json") or "."
    numbers.write(folder, snakemake.input.audits, declared.read(), given.figures, given.settings, output)
