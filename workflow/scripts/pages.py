from pathlib import Path

from attnsvm.pipeline.script import reporting

with reporting(snakemake.log[0]):
    from attnsvm.pipeline import report

    pictures = {Path(path).stem: path for path in snakemake.input.pictures}
    report.pages(
        pictures, snakemake.params.texts, snakemake.input.claims, snakemake.input.audit, dict(snakemake.output.items())
    )
