"""Gradient descent on one attention layer, for a whole batch of problems at once."""

from typing import TYPE_CHECKING

from attnsvm.system.lazy import exports

if TYPE_CHECKING:
    from attnsvm.training.descent import train as train
    from attnsvm.training.heads.base import Head as Head
    from attnsvm.training.heads.linear import LinearHead as LinearHead
    from attnsvm.training.heads.penalised import PenalisedHead as PenalisedHead
    from attnsvm.training.heads.relu import ReluHead as ReluHead
    from attnsvm.training.log import Log as Log
    from attnsvm.training.log import logarithmic_steps as logarithmic_steps
    from attnsvm.training.log import logged_steps as logged_steps
    from attnsvm.training.optimisers.adam import adam as adam
    from attnsvm.training.optimisers.balanced import balanced as balanced
    from attnsvm.training.optimisers.gradient_descent import exact as exact
    from attnsvm.training.optimisers.gradient_descent import plain as plain
    from attnsvm.training.optimisers.gradient_descent import published as published
    from attnsvm.training.optimisers.joint import joint as joint
    from attnsvm.training.optimisers.mirror import mirror as mirror
    from attnsvm.training.optimisers.schedule import schedule as schedule
    from attnsvm.training.optimisers.steepest import steepest as steepest
    from attnsvm.training.runs import how_to_train as how_to_train
else:
    __getattr__, __dir__ = exports(__name__)
