"""Train W from zero with three attentions: without weight decay, and with a decay that falls level by level."""

import numpy as np

from attnsvm.analysis.selection import by_token, margins, selected_tokens, support
from attnsvm.experiments.literature.sparse.layer import ATTENTIONS, NEAR_KINK, Layer
from attnsvm.svm.instances import certified
from attnsvm.svm.solution import proof
from attnsvm.training.log import logarithmic_steps

FOLDS = 8.0  # at each level what is missing is divided by about exp(FOLDS)
HALVINGS, SETTLED = 8, 0.15  # of the rate of sparsemax, whose gradient jumps; e-folds of the decay after each
LEAVING = np.geomspace(1.0, 1e-3, 2000)  # lengths of the steps that try whether it does


def descent(problems, settings, progress):
    progress.expect(2 * len(ATTENTIONS) * len(problems))
    rate, kept = settings["learning_rate"], logarithmic_steps(settings["steps"], settings["points"])
    plain, decayed, levels = {}, {}, {}
    for name, alpha in ATTENTIONS.items():
        layer = Layer(problems, alpha)
        plain[name] = ended(layer, without_decay(layer, rate, kept))
        progress(len(problems))
        least = settings["smallest_sparsemax" if alpha == 2.0 else "smallest"]
        count = 1 + round(2 * np.log10(settings["largest"] / least))
        levels[name] = np.geomspace(settings["largest"], least, count)
        decayed[name] = ended(layer, with_decay(layer, rate, levels[name]))
        progress(len(problems))
    tried = near_the_kink(problems, decayed["sparsemax"]["probabilities"])
    return {"steps": kept, "levels": levels, "plain": plain, "decayed": decayed, "tried": tried}


def ended(layer: Layer, weights: np.ndarray) -> dict[str, np.ndarray]:
    """The weights (S, K, d, d), and the probabilities (S, n, T) at the last of them."""
    return {"weights": weights, "probabilities": layer.probabilities(weights[:, -1])}


def without_decay(layer: Layer, rate: float, kept: np.ndarray) -> np.ndarray:
    """Gradient descent, at the steps kept: (S, K, d, d)."""
    W, found = zeros(layer), []
    for step in range(kept[-1] + 1):
        if step in kept:
            found.append(W)
        W = W - rate * layer.gradient(W)
    return np.stack(found, 1)


def with_decay(layer: Layer, rate: float, levels: np.ndarray) -> np.ndarray:
    """The ends W of descent on L + ½λ‖W‖² for each level λ, each from the end of the one before: (S, K, d, d)."""
    W, found = zeros(layer), []
    for decay in levels:
        W = (shrinking if layer.alpha == 2.0 else accelerated)(layer, W, rate, decay)
        found.append(W)
    return np.stack(found, 1)


def accelerated(layer: Layer, W: np.ndarray, rate: float, decay: float) -> np.ndarray:
    """Nesterov's method with the momentum for strong convexity λ (Introductory Lectures, 2.2.11)."""
    root = np.sqrt(rate * decay)
    momentum, ahead = (1.0 - root) / (1.0 + root), W
    for _ in range(int(np.ceil(FOLDS / root))):
        moved = ahead - rate * (layer.gradient(ahead) + decay * ahead)
        ahead, W = moved + momentum * (moved - W), moved
    return W


def shrinking(layer: Layer, W: np.ndarray, rate: float, decay: float) -> np.ndarray:
    """Descent without momentum, at ever smaller rates: at a kink of the loss steps of one length go to and fro."""
    for k in range(HALVINGS):
        length = rate / 2.0**k
        for _ in range(int(np.ceil((SETTLED if k else FOLDS) / (length * decay)))):
            W = W - length * (layer.gradient(W) + decay * W)
    return W


def near_the_kink(problems, probabilities: np.ndarray) -> dict:
    """Descent under sparsemax from the solution for the tokens of largest probability.

    Returns:
        "taken": (S, 2), what a selected token has lost, the most over the inputs, for the decays NEAR_KINK times
        `kink`; one where there is no solution. "solution": the proof.
    """
    chosen = selected_tokens(probabilities)
    answer, layer, left = certified(problems, chosen, "fro"), Layer(problems, 2.0), []
    solved = answer["status"] == "solved"
    solution = np.where(solved[:, None, None], answer["W"], 0.0)
    most = kink(layer, chosen, solution, np.where(solved[:, None], answer["dual"], 0.0))
    for share in NEAR_KINK:
        W, decay = solution, (share * most)[:, None, None]
        for length in LEAVING:
            W = W - length * (layer.gradient(W) + decay * W)
        kept = np.take_along_axis(layer.probabilities(W), chosen[..., None], 2)
        left.append(np.where(solved, 1.0 - kept.min((1, 2)), 1.0))
    return {"taken": np.stack(left, 1), "solution": proof(answer)}


def kink(layer: Layer, chosen: np.ndarray, solution: np.ndarray, dual: np.ndarray) -> np.ndarray:
    """The decay (S,) up to which the solution is a local minimum of L + ½λ‖W‖² under sparsemax.

    W* = Σ μ_it A_it. Where the support tokens of input i enter with small probabilities p, W has moved by D with
    −⟨A_it, D⟩ ≤ p_t + Σ p: L grows by σ_i Σ p_t c_t/n, and ½λ‖W‖² falls by at most λ Σ p_t (μ_it + Σ_u μ_iu).
    """
    best = np.take_along_axis(layer.scores, chosen[..., None], 2)
    size = np.linalg.norm(solution, axis=(1, 2))[:, None, None]  # the multipliers are those of ‖W‖, not of ½‖W‖²
    mu, held = (
        by_token(dual, chosen, layer.scores.shape[2]) * size,
        margins(layer.tokens, layer.queries, solution, chosen),
    )
    gain = (best - layer.scores) / (1.0 + np.exp(best)) / chosen.shape[1]
    tight = support(held, mu, chosen)
    ratio = np.full(gain.shape, np.inf)
    np.divide(gain, mu + mu.sum(-1, keepdims=True), out=ratio, where=tight)
    return np.minimum(ratio.min((1, 2)), 1.0)


def zeros(layer: Layer) -> np.ndarray:
    S, _, _, d = layer.tokens.shape
    return np.zeros((S, d, d))
