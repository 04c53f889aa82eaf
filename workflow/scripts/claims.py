from attnsvm.pipeline.script import reporting

with reporting(snakemake.log[0]):
    from attnsvm.pipeline import stages

    stages.claims(dict(snakemake.output.items()), snakemake.params.folder)
