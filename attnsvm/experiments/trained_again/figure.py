"""The figure of `trained`, of other networks."""

from attnsvm.experiments.trained.figure import draw as draw
