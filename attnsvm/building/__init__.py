"""What plans a build and runs its jobs: cards, configuration, blocks, hashes of code, stages, provenance."""
