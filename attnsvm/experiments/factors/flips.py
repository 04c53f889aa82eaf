"""What the claims must notice: a made-up table on which they hold, and changes of it."""

import numpy as np

from attnsvm.audit.flips import Empty, Flip, spread

WAYS = {  # medians after 1000 and 10,000 steps
    "published": (1e-2, 2e-2),
    "joint": (1e-2, 5e-4),
    "balanced": (1e-2, 9e-3),
    "published_shrinking": (1e-2, 3e-3),
}
GROWN = {"published": 0.9}


def table():
    rows = []
    for rule, way in WAYS.items():
        at = {"rule": rule, "m": 10, "scale": 1.0, "instances": 30}
        for step, median in zip((1000, 10000), way, strict=True):
            rows.append(at | {"step": step, "quantity": "distance", "median": median, "larger": np.nan})
        rows.append(at | {"step": 10000, "quantity": "left", "median": 1.0, "larger": GROWN.get(rule, 0.0)})
    return spread(rows, share=0.1, of="median")


LAST = "quantity == 'distance' and step == 10000"
LATER = "step about a decade before the last"

FLIPS = {
    "KQ_joint": Flip(f"{LAST} and rule == 'joint'", "median", 2e-3),
    "KQ_published_leaves": Flip(f"{LAST} and rule == 'published'", "median", 9e-3),
    "KQ_published_cause": Flip(f"{LAST} and rule == 'balanced'", "median", 1e-3),
}
EMPTY = {
    "KQ_joint": [Empty("step == 10000", LATER)],
    "KQ_published_leaves": [Empty("step == 10000", LATER)],
    "KQ_published_cause": [Empty("step == 10000", LATER)],
}
