from attnsvm.building.script import reporting

with reporting(snakemake.log[0]):
    from attnsvm.building import stages

    outputs = dict(snakemake.output.items())
    stages.claims(outputs, outputs["csv"].removesuffix("results/audit/claims.csv") or ".")
