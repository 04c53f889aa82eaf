"""Gradient descent on one attention layer, for a whole batch of problems at once."""

from attnsvm.training.descent import train
from attnsvm.training.heads import Head, LinearHead, PenalisedHead, ReluHead
from attnsvm.training.log import Log, logarithmic_steps, logged_steps
from attnsvm.training.rules.adam import adam
from attnsvm.training.rules.balanced import balanced
from attnsvm.training.rules.gradient_descent import exact, plain, published
from attnsvm.training.rules.joint import joint
from attnsvm.training.rules.mirror import mirror
from attnsvm.training.rules.momentum import momentum
from attnsvm.training.rules.schedule import schedule
from attnsvm.training.rules.steepest import steepest
from attnsvm.training.settings import how_to_train

__all__ = [
    "Head",
    "LinearHead",
    "Log",
    "PenalisedHead",
    "ReluHead",
    "adam",
    "balanced",
    "exact",
    "how_to_train",
    "joint",
    "logarithmic_steps",
    "logged_steps",
    "mirror",
    "momentum",
    "plain",
    "published",
    "schedule",
    "steepest",
    "train",
]
