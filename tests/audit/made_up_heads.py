"""Made-up tables of `heads`, `joint` and `next_token`: their claims hold there, and one number flips each."""

import pandas as pd

from attnsvm.audit.reading import DIFFERS, FAILS, IN_PART


def heads():
    """Values after the last step, and a control that misses; more heads neither widen the margin nor win more often."""
    rows = []
    for H in (1, 2, 4):
        values = {"head": 1e-4 * H, "ratios": 1e-3 * (H - 1), "block": 1e-4 * H, "best_margin": 0.3 / H**0.5}
        values |= {"margin": 0.29 / H**0.5, "global_heads": 0.6} | ({"other_head": 1.0} if H > 1 else {})
        rows += [{"normalisation": "joint", "heads": H, "quantity": q, "mean": v} for q, v in values.items()]
    control = {"ratios": 0.2, "block": 0.02}
    rows += [{"normalisation": "separate", "heads": 4, "quantity": q, "mean": v} for q, v in control.items()]
    table = pd.DataFrame(rows).assign(step=100, instances=64)
    return table.assign(std=0.01 * table["mean"])


def joint():
    rows = []
    for rate, even, relaxed, v in ((0.01, 1e-3, 0.1, 0.01), (0.1, 0.01, 0.05, 1e-3), (1.0, 0.1, 1e-3, 1e-4)):
        values = {"even": even, "relaxed": relaxed, "graded": 1e-3, "shuffled": 0.1, "v": v, "v_other": 1.0}
        rows += [{"rate": rate, "quantity": q, "mean": value} for q, value in values.items()]
    table = pd.DataFrame(rows).assign(instances=80)
    return table.assign(std=0.1 * table["mean"])


def next_token():
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


TABLES = {"heads": heads, "joint": joint, "next_token": next_token}

SPLIT = "parametrisation == 'W' and rule == 'split' and quantity == 'ahead'"
FLIPS = {
    "heads_own_svm": ("heads", "quantity == 'head' and heads == 4", "mean", 0.5, IN_PART),
    "heads_norm_ratios": ("heads", "quantity == 'ratios' and normalisation == 'separate'", "mean", 0.01, IN_PART),
    "heads_block_svm": ("heads", "quantity == 'block' and heads == 2", "mean", 0.5, IN_PART),
    "multi_head": ("heads", "quantity == 'best_margin' and heads == 4", "mean", 0.6, IN_PART),
    "joint_graded": ("joint", "quantity == 'graded' and rate == 0.1", "mean", 0.5, IN_PART),
    "joint_relaxed": ("joint", "quantity == 'relaxed' and rate == 1", "mean", 0.05, IN_PART),
    "joint_head": ("joint", "quantity == 'v_other'", "mean", 1e-4, IN_PART),
    "graph_svm": ("next_token", f"{SPLIT} and loss == 'nll' and graphs == 'acyclic'", "mean", 0.5, IN_PART),
    "graph_svm_printed": ("next_token", "rule == 'published' and loss == 'squared'", "mean", 0.05, DIFFERS),
    "graph_svm_passed": ("next_token", "solution == 'graded'", "largest", 0.5, IN_PART),
    "graph_svm_squared": ("next_token", f"{SPLIT} and loss == 'squared' and solution == 'fro'", "mean", 0.5, FAILS),
    "graph_svm_graded": ("next_token", f"{SPLIT} and loss == 'nll'", "mean", 0.5, IN_PART),
    "graph_svm_factored": ("next_token", "solution == 'nuc' and graphs == 'cyclic'", "mean", 0.09, IN_PART),
}

AHEAD = "data set with ahead, "
NO_INPUT = "instance with an input that is no support vector"
EMPTY = [
    (
        "heads_own_svm",
        lambda t: t.query("heads == 1"),
        "saturated instance under a joint norm with the quantity other_head",
    ),
    ("heads_norm_ratios", lambda t: t.query("heads == 1 or normalisation == 'separate'"), "run with several heads"),
    ("heads_block_svm", lambda t: t.query("heads == 1 or normalisation == 'separate'"), "run with several heads"),
    ("multi_head", lambda t: t.query("heads == 1"), "second value of heads"),
    ("joint_graded", lambda t: t.query("quantity == 'even'"), NO_INPUT),
    ("joint_relaxed", lambda t: t.query("rate == 1"), "second value of rate"),
    ("joint_head", lambda t: t.query("rate == 1"), "second rate"),
    (
        "graph_svm",
        lambda t: t.query("quantity == 'ahead'"),
        "data set with direction, cyclic, nll, W, split",
    ),
    ("graph_svm_printed", lambda t: t.query("rule == 'split'"), AHEAD + "cyclic, nll, W, published, fro"),
    (
        "graph_svm_passed",
        lambda t: t.query("solution == 'fro'"),
        AHEAD + "cyclic, squared, W, split, graded",
    ),
    ("graph_svm_squared", lambda t: t.query("loss == 'nll'"), AHEAD + "cyclic, squared, W, split, fro"),
    (
        "graph_svm_graded",
        lambda t: t.query("solution == 'fro'"),
        AHEAD + "cyclic, squared, W, split, graded",
    ),
    (
        "graph_svm_factored",
        lambda t: t.query("parametrisation == 'W'"),
        AHEAD + "cyclic, nll, KQ, split, nuc",
    ),
]
