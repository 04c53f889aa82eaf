"""Train W and (K, Q) from the same random weights."""

from attnsvm.experiments.convergence_types.descent import descent as descent
