"""`attnsvm.svm.solve`: the method that the norm and the number of constraints choose, with a certificate."""

from benchopt import BaseSolver

from attnsvm.svm import separation, solve


class Solver(BaseSolver):
    name = "attnsvm"
    sampling_strategy = "run_once"

    def set_objective(self, tokens, queries, selected, norm):
        self.problem, self.norm = separation(tokens, queries, selected), norm

    def warm_up(self):
        solve(self.problem, self.norm)  # compiles

    def run(self, _):
        self.W = solve(self.problem, self.norm).W

    def get_result(self):
        return {"W": self.W}
