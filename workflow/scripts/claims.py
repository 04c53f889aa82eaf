from attnsvm.script import reporting

with reporting(snakemake.log[0]):
    from attnsvm import stages

    stages.claims(dict(snakemake.output.items()))
