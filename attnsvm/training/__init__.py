"""Gradient descent on one attention layer, for a whole batch of problems at once."""

from attnsvm.training.descent import train
from attnsvm.training.heads.base import Head
from attnsvm.training.heads.linear import LinearHead
from attnsvm.training.heads.penalised import PenalisedHead
from attnsvm.training.heads.relu import ReluHead
from attnsvm.training.log import Log, logarithmic_steps, logged_steps
from attnsvm.training.rules import adam, mirror, steepest
from attnsvm.training.steps import exact, how_to_train, plain, published

__all__ = [
    "Head",
    "LinearHead",
    "Log",
    "PenalisedHead",
    "ReluHead",
    "adam",
    "exact",
    "how_to_train",
    "logarithmic_steps",
    "logged_steps",
    "mirror",
    "plain",
    "published",
    "steepest",
    "train",
]
