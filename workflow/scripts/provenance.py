from attnsvm.building.script import reporting

with reporting(snakemake.log[0]):
    from attnsvm.building import provenance

    given, output = snakemake.params, snakemake.output[0]
    results = f"{output.rpartition('figures/')[0]}results"
    provenance.write(given.experiments, given.blocks, given.settings, given.files, results, output, given.outside)
