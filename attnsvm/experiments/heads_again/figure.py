"""The figure of `heads`, on other seeds."""

from attnsvm.experiments.heads.figure import draw as draw
