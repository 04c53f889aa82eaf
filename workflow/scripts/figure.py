from attnsvm.script import reporting

with reporting(snakemake.log[0]):
    from attnsvm import stages

    stages.figure(
        snakemake.wildcards.figure,
        snakemake.params.settings,
        snakemake.input.table,
        snakemake.output.csv.removesuffix(".csv"),
    )
