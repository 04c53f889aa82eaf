"""Train W and (K, Q) from the same random weights, and keep what each selects at the end."""

from attnsvm.experiments.paper.convergence_types import descent as convergence_types


def descent(problems, settings, progress):
    ends = convergence_types.descent(problems, settings, progress)
    return {name: {"probabilities": end["probabilities"]} for name, end in ends.items()}
