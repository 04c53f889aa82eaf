"""One attention layer with its head, as a model on the tape, and the weights from which descent starts."""

import numpy as np

from attnsvm.experiments.real.ladder.rungs import Rung
from attnsvm.training.start import draw_initial, factored_weights, full_weights, normal
from attnsvm.training.tape import attention, layers, losses
from attnsvm.training.tape.node import Node, reshaped

HIDDEN = 32


def start(rung: Rung, seeds: np.ndarray, v: np.ndarray, e: int) -> dict[str, np.ndarray]:
    """Weights from which descent starts, (R, ...) by name; one run per seed.

    W, or K and Q, have the entries U(−1/√d, 1/√d) of the other experiments; embeddings start at the identity.

    Args:
        v: (R, d), the head vector; d of tokens, e of queries, equal here.
    """
    d = v.shape[1]
    if rung.parametrisation == "W":
        found = {"W": full_weights(seeds, d, "uniform")[0]}
    else:
        found = dict(zip(("K", "Q"), factored_weights(seeds, d, "uniform"), strict=True))
    if rung.head == "v":
        found["v"] = v.copy()
    if rung.head == "mlp":
        found["hidden"] = draw_initial("hidden", seeds, normal((HIDDEN, d))) * (2 / d) ** 0.5
        found["hidden_bias"] = np.zeros((len(seeds), HIDDEN))
        found["out"] = draw_initial("out", seeds, normal((HIDDEN,))) * HIDDEN**-0.5
        found["out_bias"] = np.zeros((len(seeds), 1))
    if rung.embeddings:
        found["E"], found["F"] = (np.tile(np.eye(size), (len(seeds), 1, 1)) for size in (d, e))
    return found


def product(weights: dict[str, np.ndarray]) -> np.ndarray:
    """W, or K Qᵀ, (R, d, e)."""
    return weights["W"] if "W" in weights else weights["K"] @ weights["Q"].mT


def layer(weights: dict[str, Node], inputs: dict[str, Node]) -> tuple[Node, dict[str, Node]]:
    """The mean of log(1 + exp(−Y f)), and by name the outputs f (n,) and the softmax p (n, 1, T).

    Args:
        weights: those of `start`, by name.
        inputs: tokens (n, T, d), queries (n, e), labels (n,) and the head v (d,), by name.
    """
    tokens, queries = inputs["tokens"], inputs["queries"]
    if "E" in weights:
        tokens, queries = tokens @ weights["E"], queries @ weights["F"]
    along = queries @ weights["W"].T if "W" in weights else queries @ weights["Q"] @ weights["K"].T
    n, d = along.shape
    p = attention.softmax(attention.compare(reshaped(along, n, 1, d), tokens))
    mixed = reshaped(p @ tokens, n, d)
    if "hidden" in weights:
        inner = layers.relu(mixed @ weights["hidden"].T + weights["hidden_bias"])
        outputs = inner @ weights["out"] + weights["out_bias"]
    else:
        outputs = mixed @ (weights["v"] if "v" in weights else inputs["v"])
    return losses.logistic(inputs["labels"], outputs), {"outputs": outputs, "p": p}
