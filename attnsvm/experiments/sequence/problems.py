"""Random instances of one shape; their tokens are the queries."""

from attnsvm.data.one_shape import cells as cells
from attnsvm.data.one_shape import problems as problems
