"""The rungs from the theorem to practice: each changes one thing of the one before."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Rung:
    """One way to train the layer.

    Attributes:
        parametrisation: "W", or "KQ" for W = K Qᵀ.
        head: "fixed": a vector v that is not trained; "v": that vector trained; "mlp": one hidden layer.
        embeddings: whether maps of tokens and of queries are trained too.
        rule: "normalised": all gradients divided by their joint norm; "adamw".
    """

    parametrisation: str = "KQ"
    head: str = "mlp"
    embeddings: bool = False
    rule: str = "normalised"

    @property
    def norm(self) -> str:
        """The norm that descent on this parametrisation minimises in theory."""
        return "fro" if self.parametrisation == "W" else "nuc"


RUNGS = {
    "W": Rung("W", "fixed"),
    "+ v": Rung("W", "v"),
    "+ (K, Q)": Rung(head="v"),
    "+ MLP": Rung(),
    "+ embeddings": Rung(embeddings=True),
    "+ AdamW": Rung(embeddings=True, rule="adamw"),
}
# The layer whose attention weights decay: everything is trained but the embeddings, for a growing embedding would take
# the place of the weights that shrink.
DECAYING = {"KQ": Rung(rule="adamw"), "W": Rung("W", rule="adamw")}
WHEN = ("start", "end")
ATTENTION = ("W", "K", "Q")
SATURATED = 0.99  # largest softmax probability from which an input counts as saturated
HELD_OUT = 6  # images held out per image to train on


def fitted(inputs: int) -> int:
    """How many of the inputs of an instance are trained on: the first ones."""
    return inputs // (1 + HELD_OUT)
