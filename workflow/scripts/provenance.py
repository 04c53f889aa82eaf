from pathlib import Path

from attnsvm.pipeline.script import reporting

with reporting(snakemake.log[0]):
    from attnsvm.pipeline import stages

    given, output = snakemake.params, Path(snakemake.output[0])
    stages.provenance(given.experiments, given.settings, given.files, str(output.parents[1] / "results"), str(output))
