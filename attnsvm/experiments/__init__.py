"""The experiments, one folder each; docs/experiment.md says what a folder holds, `attnsvm.pipeline.cards` finds them."""
