from attnsvm.pipeline.running.script import reporting

with reporting(snakemake.log[0]):
    from attnsvm.publish.documents import report

    texts, outputs = snakemake.params.texts, dict(snakemake.output.items())
    pictures = dict(zip([*texts, "audit"], snakemake.input.pictures, strict=True))
    report.write(pictures, texts, snakemake.input.claims, snakemake.input.audit, outputs)
