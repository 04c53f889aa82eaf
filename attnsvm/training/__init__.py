"""Gradient descent on one attention layer, for a whole batch of problems at once."""

from typing import TYPE_CHECKING

from attnsvm.lazy import exports

if TYPE_CHECKING:
    from attnsvm.training.descent import train as train
    from attnsvm.training.heads import Head as Head
    from attnsvm.training.heads import LinearHead as LinearHead
    from attnsvm.training.heads import PenalisedHead as PenalisedHead
    from attnsvm.training.heads import ReluHead as ReluHead
    from attnsvm.training.log import Log as Log
    from attnsvm.training.log import logarithmic_steps as logarithmic_steps
    from attnsvm.training.log import logged_steps as logged_steps
    from attnsvm.training.rules import adam as adam
    from attnsvm.training.rules import mirror as mirror
    from attnsvm.training.rules import steepest as steepest
    from attnsvm.training.steps import exact as exact
    from attnsvm.training.steps import how_to_train as how_to_train
    from attnsvm.training.steps import plain as plain
    from attnsvm.training.steps import published as published
else:
    __getattr__, __dir__ = exports(__name__)
