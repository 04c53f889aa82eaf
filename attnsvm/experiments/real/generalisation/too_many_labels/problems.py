"""The instances of `generalisation` whose labels are the rule's, or in part flipped."""

from attnsvm.experiments.real.generalisation.stop_early.problems import cells as cells
from attnsvm.experiments.real.generalisation.stop_early.problems import inputs as inputs
from attnsvm.experiments.real.generalisation.stop_early.problems import logits as logits
from attnsvm.experiments.real.generalisation.stop_early.problems import problems as problems
from attnsvm.experiments.real.generalisation.stop_early.problems import wanted as wanted
