"""How many tokens are selected, and how far the trained W is from the generalised SVM and from W_mm alone.

With orthonormal tokens h(Xᵀp) = γᵀp − λ‖p‖²: the best attention is the projection of γ/(2λ) onto the simplex, whatever
the softmax.
"""

import numpy as np
import pandas as pd

from attnsvm.analysis.directions import correlation, svm_equivalent
from attnsvm.analysis.measured import gathered, outcomes
from attnsvm.analysis.selection import scores, selected_sets


@gathered
def measures(cell, problems, trained, solved, settings):
    score = scores(problems.tokens, problems.head, problems.labels)
    for name, run in trained.items():
        W, p, penalty = run["weights"], run["probabilities"], float(name)
        mm, fin = solved[name]["mm"], solved[name]["fin"]
        optimal = best_attention(score, penalty)
        good = (mm["status"] == "solved") & (fin["status"] == "solved")
        some_left_out = (~selected_sets(p)).any((1, 2))
        columns = {
            "lambda": penalty,
            "selected": selected_sets(p).sum(-1).mean(-1),
            "optimal": selected_sets(optimal).sum(-1).mean(-1),
            "distance": np.abs(p - optimal).max((1, 2)),
        }
        targets = {
            "mm": (mm["W"], good & some_left_out),  # W_mm is zero where every token is selected
            "svmeq": (svm_equivalent(W, fin["W"], mm["W"]), good),
        }
        for solution, (target, kept) in targets.items():
            frame = pd.DataFrame(columns | {"solution": solution, "seed": problems.seeds})[kept]
            yield frame.assign(value=1.0 - correlation(W[kept], target[kept]))
        end = np.select([~good, ~some_left_out], ["without SVM", "every token selected"], "some tokens left out")
        yield outcomes(cell, problems.seeds, np.char.add(f"lambda {penalty:g}: ", end))


def table(measures, settings):
    return measures.instances[["lambda", "selected", "optimal", "distance", "solution", "value", "seed"]]


def best_attention(score: np.ndarray, penalty: float) -> np.ndarray:
    """argmax γᵀp − penalty·‖p‖² over the simplex, (..., T) for scores γ (..., T): the projection of γ/(2·penalty).

    By the order of the entries: Duchi, Shalev-Shwartz, Singer and Chandra, ICML 2008.
    """
    y = score / (2 * penalty)
    falling = -np.sort(-y, axis=-1)
    count = np.arange(1, y.shape[-1] + 1)
    level = (falling.cumsum(-1) - 1) / count
    last = (falling > level).sum(-1, keepdims=True) - 1
    return np.maximum(y - np.take_along_axis(level, last, -1), 0.0)
