"""Random instances of one shape, whose tokens are linearly independent: v alone fits any outputs."""

from attnsvm.data.one_shape import cells as cells
from attnsvm.data.one_shape import problems as problems
