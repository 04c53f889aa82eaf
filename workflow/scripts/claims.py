from attnsvm.pipeline.running.script import reporting

with reporting(snakemake.log[0]):
    from attnsvm.pipeline.running import stages

    claimed, outputs = snakemake.wildcards.get("claimed", ""), dict(snakemake.output.items())
    folder = outputs["csv"].removesuffix(f"results/audit/{claimed or 'claims'}.csv") or "."
    stages.claims(outputs, folder, claimed)
