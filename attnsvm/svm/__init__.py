"""Max-margin token separation: constraints in, certified solutions out.

minimise ‖W‖  subject to  (x_{iα} − x_it)ᵀ W z_i ≥ 1 for every token t that input i does not select,
                          (x_{iα} − x_it)ᵀ W z_i = 0 for the other tokens it does select.

Any other margin b ≥ 0 may stand for the 1, input by input and token by token; 0 asks for the same winner only.
"""

from attnsvm.svm.composed import as_one, block_diagonal, diagonal_blocks, join, solve_blocks
from attnsvm.svm.constraints import Constraints, finite_part, ragged, separation, sequence
from attnsvm.svm.graph import graph_constraints
from attnsvm.svm.instances import certified
from attnsvm.svm.solution import Solution, Status, stack
from attnsvm.svm.solver import solve, solve_batch
from attnsvm.svm.stacks import layer_constraints

__all__ = [
    "Constraints",
    "Solution",
    "Status",
    "as_one",
    "block_diagonal",
    "certified",
    "diagonal_blocks",
    "finite_part",
    "graph_constraints",
    "join",
    "layer_constraints",
    "ragged",
    "separation",
    "sequence",
    "solve",
    "solve_batch",
    "solve_blocks",
    "stack",
]
