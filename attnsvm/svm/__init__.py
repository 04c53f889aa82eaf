"""Max-margin token separation: constraints in, certified solutions out.

minimise ‖W‖  subject to  (x_{iα} − x_it)ᵀ W z_i ≥ 1 for every token t that input i does not select,
                          (x_{iα} − x_it)ᵀ W z_i = 0 for the other tokens it does select.
"""

from attnsvm.svm.constraints import Constraints, finite_part, ragged, separation, sequence
from attnsvm.svm.instances import certified
from attnsvm.svm.solution import Solution, Status, stack
from attnsvm.svm.solver import solve, solve_batch

__all__ = [
    "Constraints",
    "Solution",
    "Status",
    "certified",
    "finite_part",
    "ragged",
    "separation",
    "sequence",
    "solve",
    "solve_batch",
    "stack",
]
