"""`attnsvm.svm.solve`: the active set on few constraints, the augmented Lagrangian on many, with a certificate."""

from benchopt import BaseSolver

from attnsvm.svm import separation, solve


class Solver(BaseSolver):
    name = "attnsvm"
    sampling_strategy = "run_once"

    def set_objective(self, tokens, queries, selected):
        self.problem = separation(tokens, queries, selected)

    def warm_up(self):
        solve(self.problem)  # compiles

    def run(self, _):
        self.W = solve(self.problem).W

    def get_result(self):
        return {"W": self.W}
