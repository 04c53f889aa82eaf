"""The experiments, one folder each: docs/experiment.md says what it holds; `attnsvm.building.cards` finds it."""
