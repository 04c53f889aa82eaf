"""Random instances of one shape."""

from attnsvm.data.one_shape import cells as cells
from attnsvm.data.one_shape import problems as problems
