"""The rules that move both layers, each layer by itself, and how much longer the steps of the layer below are."""

from dataclasses import dataclass, replace

from attnsvm.data.architecture import Stack
from attnsvm.data.problems import Problems
from attnsvm.training.optimisers.adam import adam
from attnsvm.training.optimisers.protocol import Rule
from attnsvm.training.optimisers.steepest import steepest

JOINT, SEPARATE = Stack(layers=2), Stack(layers=2, normalisation="separate")
BETA1 = 0.9
PATHS = {"normalised": JOINT, "a norm per layer": SEPARATE}  # of normalised descent, beside plain descent


@dataclass(frozen=True)
class Run:
    """A rule for each layer.

    Attributes:
        norm: of its steps, and of the margins that are compared.
        steps: the setting that says how many.
        rate: how many times as long the steps of the layer below are as those of the top.
        beta2: of Adam; 0 for steepest descent in the norm.
    """

    norm: str
    steps: str
    rate: int = 1
    beta2: float = 0.0

    def rule(self, settings: dict) -> Rule:
        if self.beta2:
            return adam(settings["adam_rate"], BETA1, self.beta2)
        return steepest(self.norm, settings["learning_rate"])


RUNS = {
    "sign, 5:1": Run("linf", "steps", rate=5),
    "spectral, 5:1": Run("spectral", "spectral_steps", rate=5),
    "Adam, β2 = .9": Run("linf", "adam_steps", beta2=0.9),
    "Adam, β2 = .99": Run("linf", "adam_steps", beta2=0.99),
    "Adam, β2 = .999": Run("linf", "adam_steps", beta2=0.999),
}


def trained_on(run: Run, problems: Problems) -> Problems:
    """The problems that the stack sees: a top with the query z/r and steps of length η has steps of length η/r."""
    return replace(problems, queries=problems.queries / run.rate)
