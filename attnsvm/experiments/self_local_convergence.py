"""The local-convergence experiment when the first token of each input is its query."""

from attnsvm.experiments.local_convergence import LocalConvergence


class SelfLocalConvergence(LocalConvergence):
    attention = "self"


EXPERIMENT = SelfLocalConvergence
