"""Random instances of one shape: every rate of the value head is trained on the same."""

from attnsvm.data.one_shape import cells as cells
from attnsvm.data.one_shape import problems as problems
