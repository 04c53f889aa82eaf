"""Random instances of one shape, as those of `layers_beyond`."""

from attnsvm.data.one_shape import cells as cells
from attnsvm.data.one_shape import problems as problems
