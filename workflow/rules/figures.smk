rule figure:
    input:
        tables=lambda wildcards: [f"results/{name}/measures.parquet" for name in FIGURES[wildcards.figure]],
        code=lambda wildcards: sorted(
            {
                *module_files("attnsvm.stages", "figure"),
                *module_files("attnsvm.plots"),
                *module_files(f"attnsvm.plots.{wildcards.figure}"),
                "workflow/scripts/figure.py",
            }
        ),
    output:
        pdf="figures/{figure}.pdf",
        png=report("figures/{figure}.png", caption="../report/{figure}.rst", category="The official figures"),
        csv="figures/{figure}.csv",
    log:
        "results/logs/figures/{figure}.log",
    benchmark:
        "results/benchmarks/figures/{figure}.tsv"
    conda:
        "../../environment.yml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        settings=config["figures"],
    message:
        "draw {wildcards.figure}"
    script:
        "../scripts/figure.py"
