"""The instances of `factors`, from other seeds."""

from attnsvm.experiments.factors.problems import cells as cells
from attnsvm.experiments.factors.problems import problems as problems
