"""Convergence types as the number of tokens grows, at a fixed number of inputs and dimension."""

from attnsvm.experiments.convergence_types import ConvergenceTypes

EXPERIMENT = ConvergenceTypes
