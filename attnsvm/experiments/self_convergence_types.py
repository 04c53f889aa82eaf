"""Convergence types when the first token of each input is its query."""

from attnsvm.experiments.convergence_types import ConvergenceTypes


class SelfConvergenceTypes(ConvergenceTypes):
    attention = "self"


EXPERIMENT = SelfConvergenceTypes
