"""Random instances as those of the convergence types, of other seeds."""

from attnsvm.experiments.convergence_types.problems import cells as cells
from attnsvm.experiments.convergence_types.problems import problems as problems
