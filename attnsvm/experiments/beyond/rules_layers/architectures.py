"""The stack that is trained."""

from attnsvm.architecture import Stack

STACK = Stack(layers=2, normalisation="separate")
