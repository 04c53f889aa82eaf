"""Max-margin token separation: constraints in, certified solutions out.

minimise ‖W‖  subject to  (x_{iα} − x_it)ᵀ W z_i ≥ 1 for every token t that input i does not select,
                          (x_{iα} − x_it)ᵀ W z_i = 0 for the other tokens it does select.

Any other margin b ≥ 0 may stand for the 1, input by input and token by token; 0 asks for the same winner only.
"""

from typing import TYPE_CHECKING

from attnsvm.system.lazy import exports

if TYPE_CHECKING:
    from attnsvm.svm.composed import as_one as as_one
    from attnsvm.svm.composed import block_diagonal as block_diagonal
    from attnsvm.svm.composed import diagonal_blocks as diagonal_blocks
    from attnsvm.svm.composed import join as join
    from attnsvm.svm.composed import solve_blocks as solve_blocks
    from attnsvm.svm.constraints import Constraints as Constraints
    from attnsvm.svm.constraints import finite_part as finite_part
    from attnsvm.svm.constraints import ragged as ragged
    from attnsvm.svm.constraints import separation as separation
    from attnsvm.svm.constraints import sequence as sequence
    from attnsvm.svm.graph import graph_constraints as graph_constraints
    from attnsvm.svm.instances import certified as certified
    from attnsvm.svm.solution import Solution as Solution
    from attnsvm.svm.solution import Status as Status
    from attnsvm.svm.solution import as_arrays as as_arrays
    from attnsvm.svm.solver import solve as solve
    from attnsvm.svm.solver import solve_batch as solve_batch
    from attnsvm.svm.stacks import graded as graded
    from attnsvm.svm.stacks import layer_constraints as layer_constraints
    from attnsvm.svm.stacks import without_copies as without_copies
else:
    __getattr__, __dir__ = exports(__name__)
