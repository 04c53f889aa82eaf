from attnsvm.pipeline.script import reporting

with reporting(snakemake.log[0]):
    from attnsvm.pipeline import stages

    given = snakemake.params
    asked = given.experiments, given.settings
    stages.provenance(*asked, given.files, given.results, snakemake.input.schema, snakemake.output[0])
