from attnsvm.pipeline.running.script import reporting

with reporting(snakemake.log[0]):
    from attnsvm.inspect.steps.comparing import compared

    tables = dict(zip(snakemake.params.models, snakemake.input.tables, strict=True))
    compared(tables, snakemake.output.csv, snakemake.output.html)
