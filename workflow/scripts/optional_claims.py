from attnsvm.building.script import reporting

with reporting(snakemake.log[0]):
    from attnsvm.building import stages

    name, outputs = snakemake.wildcards.optional, dict(snakemake.output.items())
    stages.optional_claims(name, outputs, outputs["csv"].removesuffix(f"results/audit/{name}.csv") or ".")
