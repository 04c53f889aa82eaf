"""Random instances of one shape: the data of local convergence, from the published seeds on."""

from attnsvm.data.one_shape import cells as cells
from attnsvm.data.one_shape import problems as problems
