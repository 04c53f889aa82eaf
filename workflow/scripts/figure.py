from attnsvm.pipeline.running.script import reporting

with reporting(snakemake.log[0]):
    from attnsvm.pipeline.running import stages

    tables, stem = dict(snakemake.input.items()), snakemake.output.csv.removesuffix(".csv")
    stages.figure(snakemake.wildcards.figure, snakemake.params.settings, tables, stem)
