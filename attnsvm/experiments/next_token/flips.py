"""What the claims must notice: a made-up table on which they hold, and changes of it."""

import pandas as pd

from attnsvm.audit.flips import Empty, Flip
from attnsvm.audit.reading import DIFFERS, FAILS, IN_PART


def table():
    runs = [
        ("cyclic", "nll", "W", "published", "fro", "ahead", 0.01),
        ("cyclic", "nll", "W", "split", "fro", "ahead", 1e-5),
        ("acyclic", "nll", "W", "split", "fro", "ahead", 1e-5),
        ("cyclic", "nll", "W", "split", "fin", "direction", 1e-6),
        ("cyclic", "squared", "W", "published", "fro", "ahead", 0.005),
        ("acyclic", "squared", "W", "published", "fro", "ahead", 0.002),
        ("cyclic", "squared", "W", "split", "fro", "ahead", 0.05),
        ("acyclic", "squared", "W", "split", "fro", "ahead", 1e-5),
        ("cyclic", "squared", "W", "split", "graded", "ahead", 1e-5),
        *((kind, "nll", "KQ", "split", "fro", "ahead", 0.1) for kind in ("cyclic", "acyclic")),
        *((kind, "nll", "KQ", "split", "nuc", "ahead", 0.002) for kind in ("cyclic", "acyclic")),
    ]
    keys = ["graphs", "loss", "parametrisation", "rule", "solution", "quantity", "mean"]
    table = pd.DataFrame(runs, columns=keys).assign(step=100, instances=60)
    return table.assign(std=0.1 * table["mean"], largest=2 * table["mean"])


SPLIT = "parametrisation == 'W' and rule == 'split' and quantity == 'ahead'"
AHEAD = "data set with ahead, "

FLIPS = {
    "graph_svm": Flip(f"{SPLIT} and loss == 'nll' and graphs == 'acyclic'", "mean", 0.5),
    "graph_svm_printed": Flip("rule == 'published' and loss == 'squared'", "mean", 0.05, DIFFERS),
    "graph_svm_passed": Flip("solution == 'graded'", "largest", 0.5),
    "graph_svm_squared": Flip(
        f"{SPLIT} and loss == 'squared' and solution == 'fro'", "mean", 0.5, FAILS, before=IN_PART
    ),
    "graph_svm_graded": Flip(f"{SPLIT} and loss == 'nll'", "mean", 0.5),
    "graph_svm_factored": Flip("solution == 'nuc' and graphs == 'cyclic'", "mean", 0.09),
}
EMPTY = {
    "graph_svm": [Empty("quantity == 'ahead'", "data set with direction, cyclic, nll, W, split")],
    "graph_svm_printed": [Empty("rule == 'split'", AHEAD + "cyclic, nll, W, published, fro")],
    "graph_svm_passed": [Empty("solution == 'fro'", AHEAD + "cyclic, squared, W, split, graded")],
    "graph_svm_squared": [Empty("loss == 'nll'", AHEAD + "cyclic, squared, W, split, fro")],
    "graph_svm_graded": [Empty("solution == 'fro'", AHEAD + "cyclic, squared, W, split, graded")],
    "graph_svm_factored": [Empty("parametrisation == 'W'", AHEAD + "cyclic, nll, KQ, split, nuc")],
}
