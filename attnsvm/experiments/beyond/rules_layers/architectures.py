"""The stack that is trained."""

from attnsvm.data.architecture import Stack

STACK = Stack(layers=2, normalisation="separate")
