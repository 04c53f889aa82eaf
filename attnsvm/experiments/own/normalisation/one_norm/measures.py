"""How far K Qᵀ is from the nuclear solution, per instance along training, and over the last decade of steps."""

from attnsvm.analysis.decades import approach
from attnsvm.experiments.own.normalisation.measures import measures as measures


def table(measures, settings):
    rows = measures.instances[["normalisation", "seed", "step", "value"]].assign(quantity="distance")
    return approach(rows, ["normalisation"])
