from attnsvm.pipeline.running.script import reporting

with reporting(snakemake.log[0]):
    from attnsvm.publish.site import build

    claims = snakemake.input.claims
    build.site(claims.removesuffix("results/audit/claims.csv") or ".", snakemake.params.captions, snakemake.output[0])
