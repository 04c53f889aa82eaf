"""Random instances of two dimensions."""

from attnsvm.experiments.convergence_types.problems import cells as cells
from attnsvm.experiments.convergence_types.problems import problems as problems
