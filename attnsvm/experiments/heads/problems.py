"""Random instances of one shape: every number of heads is trained on the same instances."""

from attnsvm.data.one_shape import cells as cells
from attnsvm.data.one_shape import problems as problems
