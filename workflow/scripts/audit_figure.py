from attnsvm.pipeline.running.script import reporting

with reporting(snakemake.log[0]):
    from attnsvm.pipeline.running import stages

    stages.audit_figure(snakemake.params.settings, snakemake.input.claims, snakemake.output.pdf.removesuffix(".pdf"))
