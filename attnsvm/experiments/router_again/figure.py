"""The figure of `router`, on other seeds."""

from attnsvm.experiments.router.figure import draw as draw
