"""The experiments, one folder each: docs/experiment.md says what it holds; `attnsvm.pipeline.cards` finds it."""
