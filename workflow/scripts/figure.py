from attnsvm.pipeline.script import reporting

with reporting(snakemake.log[0]):
    from attnsvm.pipeline import stages

    stages.figure(
        snakemake.wildcards.figure,
        snakemake.params.settings,
        list(snakemake.input.tables),
        snakemake.output.csv.removesuffix(".csv"),
    )
