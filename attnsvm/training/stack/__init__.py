"""Gradient descent on a stack of attention layers, with several heads per layer."""

from typing import TYPE_CHECKING

from attnsvm.system.lazy import exports

if TYPE_CHECKING:
    from attnsvm.data.architecture import Stack as Stack
    from attnsvm.training.stack.descent import train_stack as train_stack
    from attnsvm.training.stack.log import StackLog as StackLog
else:
    __getattr__, __dir__ = exports(__name__)
