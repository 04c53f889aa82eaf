"""How far K Qᵀ is from the nuclear solution, per instance along training."""

from attnsvm.experiments.own.normalisation.measures import measures as measures


def table(measures, settings):
    return measures.instances[["normalisation", "seed", "step", "value"]]
