"""The figure of `positional`, on other seeds."""

from attnsvm.experiments.positional.figure import draw as draw
