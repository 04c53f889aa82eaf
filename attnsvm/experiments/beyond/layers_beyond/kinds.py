"""Two layers of attention with something else in them: what stands between or behind, heads, tokens, the loss."""

from dataclasses import dataclass, replace

import numpy as np

from attnsvm.data.architecture import Stack
from attnsvm.data.problems import Problems
from attnsvm.training.start import draw_initial, normal

VOCABULARY = 8  # symbols of the kind whose tokens repeat
CLASSES = 4
TARGET = 3.0  # of the squared loss, times the label
EPS = 1e-5  # of the normalisation


@dataclass(frozen=True)
class Kind:
    """What differs from the plain stack.

    Attributes:
        below, top: temperatures, which divide the logits.
        between: what is done to composed tokens before the top: "", "mlp" (x + B tanh(A x), fixed) or "norm".
        behind: whether what the top reads is normalised before the head.
        heads: of each layer; two have a random output matrix each.
        tokens: "" (as drawn), "one-hot" (different ones in an input) or "vocabulary" (of unit vectors, with repeats).
        loss: "logistic", "squared" or "classes" (cross-entropy).
    """

    below: float = 1.0
    top: float = 1.0
    between: str = ""
    behind: bool = False
    heads: int = 1
    tokens: str = ""
    loss: str = "logistic"


KINDS = {
    "plain": Kind(),
    "temperatures 1 and 3": Kind(top=3.0),
    "squared loss": Kind(loss="squared"),
    "MLP between": Kind(between="mlp"),
    "normalised before the top": Kind(between="norm"),
    "four classes": Kind(loss="classes"),
    "normalised behind": Kind(behind=True),
    "two heads": Kind(heads=2),
    "one-hot tokens": Kind(tokens="one-hot"),
    "repeated tokens": Kind(tokens="vocabulary"),
}


def stack_of(kind: Kind) -> Stack:
    """Its two layers, without what stands between them."""
    return Stack(layers=2, heads=kind.heads)


def seen(kind: Kind, problems: Problems) -> Problems:
    """The problems with the tokens of the kind."""
    _, n, T, d = problems.tokens.shape
    if kind.tokens == "one-hot":
        order = draw_initial("layers_beyond one-hot", problems.seeds, normal((n, d))).argsort(-1)
        return replace(problems, tokens=np.eye(d)[order[..., :T]])
    if kind.tokens == "vocabulary":
        words = draw_initial("layers_beyond words", problems.seeds, normal((VOCABULARY, d)))
        words = words / np.linalg.norm(words, axis=-1, keepdims=True)
        which = draw_initial("layers_beyond tokens", problems.seeds, normal((n, T, VOCABULARY))).argmax(-1)
        return replace(problems, tokens=np.take_along_axis(words[:, None], which[..., None], 2))
    return problems


def between(kind: Kind, Y: np.ndarray, run) -> np.ndarray:
    """What the top sees of composed tokens (S, n, T, d)."""
    if kind.between == "mlp":
        return Y + np.tanh(Y @ run["A"][:, None]) @ run["B"][:, None]
    if kind.between == "norm":
        centred = Y - Y.mean(-1, keepdims=True)
        return centred / np.sqrt(np.square(centred).mean(-1, keepdims=True) + EPS)
    return Y
