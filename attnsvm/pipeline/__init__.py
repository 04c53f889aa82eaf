"""The plan of a build: cards, configuration, blocks, jobs and their files, targets, provenance."""
