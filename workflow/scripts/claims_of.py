from attnsvm.building.script import reporting

with reporting(snakemake.log[0]):
    from attnsvm.building import stages

    name, outputs = snakemake.wildcards.claimed, dict(snakemake.output.items())
    stages.claims_of(name, outputs, outputs["csv"].removesuffix(f"results/audit/{name}.csv") or ".")
