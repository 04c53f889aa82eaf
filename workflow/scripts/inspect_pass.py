from attnsvm.pipeline.running.script import reporting

with reporting(snakemake.log[0]):
    from attnsvm.inspect.steps.passing import passed

    before, texts = ([*snakemake.input.get(name, [])][:1] for name in ("before", "texts"))
    given = snakemake.params.folder, int(snakemake.wildcards.layer), next(iter(texts), None), snakemake.params.settings
    passed(*given, next(iter(before), None), snakemake.output.become, snakemake.output.layer)
