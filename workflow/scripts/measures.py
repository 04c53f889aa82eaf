from attnsvm.pipeline.running.script import reporting

with reporting(snakemake.log[0]):
    from attnsvm.pipeline.running import stages

    by_stage = {stage: [files] if isinstance(files, str) else files for stage, files in snakemake.input.items()}
    blocks = [dict(zip(by_stage, files, strict=True)) for files in zip(*by_stage.values(), strict=True)]
    stages.measures(snakemake.wildcards.experiment, snakemake.params.settings, blocks, dict(snakemake.output.items()))
