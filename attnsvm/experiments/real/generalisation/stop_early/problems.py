"""The instances of `generalisation` whose labels are the rule's, or in part flipped."""

from attnsvm.experiments.real.generalisation.problems import cells as with_all_labels
from attnsvm.experiments.real.generalisation.problems import inputs as inputs
from attnsvm.experiments.real.generalisation.problems import logits as logits
from attnsvm.experiments.real.generalisation.problems import problems as problems
from attnsvm.experiments.real.generalisation.problems import wanted as wanted

LABELS = ("clean", "flipped")


def cells(settings):
    return [cell for cell in with_all_labels(settings) if cell.variant.split("_")[1] in LABELS]
