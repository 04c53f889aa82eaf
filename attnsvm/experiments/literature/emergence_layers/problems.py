"""The inputs of `emergence`."""

from attnsvm.experiments.literature.emergence.problems import cells as cells
from attnsvm.experiments.literature.emergence.problems import problems as problems
