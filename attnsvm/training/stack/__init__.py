"""Gradient descent on a stack of attention layers, with several heads per layer."""

from attnsvm.architecture import Stack
from attnsvm.training.stack.descent import train_stack
from attnsvm.training.stack.log import StackLog

__all__ = ["Stack", "StackLog", "train_stack"]
