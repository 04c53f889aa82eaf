"""The figure of `rate_reduction`, on other seeds."""

from attnsvm.experiments.rate_reduction.figure import draw as draw
