from pathlib import Path

from attnsvm.pipeline.script import reporting

with reporting(snakemake.log[0]):
    from attnsvm.pipeline import stages

    paths = snakemake.input.problems, snakemake.input.descent, snakemake.input.svm
    blocks = [(Path(block[0]).parent.name, *block) for block in zip(*paths, strict=True)]
    stages.measures(snakemake.wildcards.experiment, snakemake.params.settings, blocks, dict(snakemake.output.items()))
