"""The losses of next tokens on the tape: mean −log u ("nll") and mean (1 − u)² ("squared").

Tokens of the label's strongly connected component keep finite logit differences; all others lose without end. So
u_i = w_i (1 − δ_i): w_i the label's share inside its component, δ_i the weight outside of it. The gradient has a part
that does not vanish until the differences inside are right, and one that falls like δ: that of w and that of 1 − δ.
"""

import numpy as np

from attnsvm.experiments.beyond.next_token.data import NextToken
from attnsvm.training.tape import attention, losses
from attnsvm.training.tape.gradient import gradient
from attnsvm.training.tape.node import Node
from attnsvm.training.tape.terms import Terms

LOSSES = ("nll", "squared")


def whole(data: NextToken) -> dict[str, np.ndarray]:
    """Inputs of `loss`: u, among all tokens."""
    return _inputs(data, np.ones(data.label.shape), data.label)


def inside(data: NextToken) -> dict[str, np.ndarray]:
    """Inputs of `loss`: w, with the component alone in the softmax."""
    return _inputs(data, data.inside, data.label)


def outside(data: NextToken) -> dict[str, np.ndarray]:
    """Inputs of `loss`: u, whose gradient through δ is asked for."""
    return _inputs(data, np.ones(data.label.shape), data.inside)


def _inputs(data, present, target):
    arrays = {"present": present, "label": data.label, "others": present * ~data.label, "target": target}
    return {name: array.astype(float) for name, array in arrays.items()} | {"features": data.features}


def loss(name: str):
    """The model: from the coordinates theta (r,) and from features, present, label, others and target, all (n, T).

    u is the probability of `label` among the tokens that are `present`, and 1 − u that of `others`. The gradient is
    that through the probability of `target`, which u is, or of which it is a share that stays.
    """

    def model(weights: dict[str, Node], inputs: dict[str, Node]) -> Node:
        p = attention.softmax(inputs["features"] @ weights["theta"], inputs["present"])
        through = attention.probability(p, inputs["target"])
        if name == "nll":
            return losses.negative_log(through)
        # d(1 − u)² = 2 (1 − u) u · d(−log u), and 1 − u is added up: it would cancel
        u, rest = (attention.probability(p, inputs[where]) for where in ("label", "others"))
        return losses.negative_log(through, np.log(2.0) + u.log + rest.log)

    return model


def slope(model, theta: np.ndarray, inputs: dict[str, Node]) -> Terms:
    """∂L/∂theta of a model, for theta (S, r)."""
    weights = {"theta": Node(theta, weight=True)}
    return gradient(model(weights, inputs), weights)["theta"]
