"""Certified solutions of what every run selects."""

from attnsvm.experiments.summaries.attention_variants.merging.merged import shortened
from attnsvm.svm.instances import certified


def svm(problems, trained, settings):
    return {name: certified(shortened(problems, name), selected, "fro") for name, selected in trained.items()}
