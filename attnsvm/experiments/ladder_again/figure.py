"""The figure of `ladder`, on other seeds."""

from attnsvm.experiments.ladder.figure import draw as draw
