"""What stands between the experiments and Snakemake: cards, stages, dependencies, provenance, progress, documents."""
