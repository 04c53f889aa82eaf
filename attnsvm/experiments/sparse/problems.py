"""Random instances of one shape: with the same settings, those of local convergence."""

from attnsvm.data.one_shape import cells as cells
from attnsvm.data.one_shape import problems as problems
