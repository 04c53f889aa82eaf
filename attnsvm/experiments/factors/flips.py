"""What the claims must notice: a made-up table on which they hold, and changes of it."""

import pandas as pd

from attnsvm.audit.flips import Empty, Flip


def table(published=(1e-2, 2e-2), joint=(1e-2, 1e-3), balanced=(1e-2, 9e-3), shrinking=(1e-2, 3e-3), grown=(0.9, 0.0)):
    """What the claims read: medians after 1000 and 10,000 steps, and the shares in which the distance has grown."""
    rows = []
    ways = {"published": published, "joint": joint, "balanced": balanced, "published_shrinking": shrinking}
    ways |= dict.fromkeys(("joint_shrinking", "plain", "spectral", "sign"), (0.5, 0.4))
    runs = [(rule, way, 10, 1.0) for rule, way in ways.items()]
    runs += [(rule, ways[rule], *case) for rule in ("published", "joint") for case in ((2, 1.0), (10, 0.1))]
    for rule, way, m, scale in runs:
        for step, median in zip((1000, 10000), way, strict=True):
            for quantity in ("distance", "nuclear", "spectral"):
                at = {"rule": rule, "m": m, "scale": scale, "step": step, "quantity": quantity, "instances": 30}
                rows.append(at | {"median": median, "low": 0.9 * median, "high": 1.1 * median})
        share = dict(zip(("published", "joint"), grown, strict=True)).get(rule, 0.0)
        rows.append(at | {"quantity": "left", "median": 1.0, "low": 1.0, "high": 1.0, "larger": share})
    return pd.DataFrame(rows)


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
