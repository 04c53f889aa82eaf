"""Random instances over a grid of shapes."""

from attnsvm.experiments.convergence_types.problems import cells as cells
from attnsvm.experiments.convergence_types.problems import problems as problems
