"""Random instances of several shapes and dimensions."""

from attnsvm.experiments.convergence_types.problems import cells as cells
from attnsvm.experiments.convergence_types.problems import problems as problems
