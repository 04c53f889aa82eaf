rule figure:
    input:
        tables=lambda wildcards: [f"results/{name}/measures.parquet" for name in FIGURES[wildcards.figure]],
        code=lambda wildcards: plot_code(wildcards.figure),
    output:
        pdf="figures/{figure}.pdf",
        png=report(
            "figures/{figure}.png",
            caption="../report/figure.rst",
            category=category,
            labels={"figure": "{figure}"},
        ),
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
