from pathlib import Path

from attnsvm.pipeline.script import reporting

with reporting(snakemake.log[0]):
    from attnsvm.pipeline import stages

    outputs = dict(snakemake.output.items())
    stages.claims(outputs, str(Path(outputs["csv"]).parents[2]))
