"""What the claims must notice: a made-up table on which they hold, and changes of it."""

import pandas as pd

from attnsvm.audit.flips import Empty, Flip, quantities


def table():
    rows = []
    for rate, even, relaxed, v in ((0.01, 1e-3, 0.1, 0.01), (0.1, 0.01, 0.05, 1e-3), (1.0, 0.1, 1e-3, 1e-4)):
        values = {"even": even, "relaxed": relaxed, "graded": 1e-3, "shuffled": 0.1, "v": v, "v_other": 1.0}
        rows += quantities(values, "mean", rate=rate)
    table = pd.DataFrame(rows).assign(instances=80)
    return table.assign(std=0.1 * table["mean"])


NO_INPUT = "instance with an input that is no support vector"

FLIPS = {
    "joint_graded": Flip("quantity == 'graded' and rate == 0.1", "mean", 0.5),
    "joint_relaxed": Flip("quantity == 'relaxed' and rate == 1", "mean", 0.05),
    "joint_head": Flip("quantity == 'v_other'", "mean", 1e-4),
}
EMPTY = {
    "joint_graded": [Empty("quantity == 'even'", NO_INPUT)],
    "joint_relaxed": [Empty("rate == 1", "second value of rate")],
    "joint_head": [Empty("rate == 1", "second rate")],
}
