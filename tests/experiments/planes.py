"""A small table of the planar figures."""

import numpy as np
import pandas as pd


def plane(further=()):
    """Tokens, and per parametrisation and input a trajectory, a max-margin direction and the rows of `further`."""
    rng = np.random.default_rng(0)
    rows = [
        {"kind": "optimal_token" if t == 1 else "token", "input": i, "token": t, "x": rng.normal(), "y": rng.normal()}
        for i in (1, 2)
        for t in (1, 2, 3)
    ]
    for p in ("W", "KQ"):
        for i in (1, 2):
            own = {"parametrisation": p, "input": i}
            rows += [own | {"kind": "trajectory", "step": k, "x": i * k, "y": -k} for k in range(5)]
            rows += [own | {"kind": "svm_direction", "x": 100.0 * i, "y": -100.0}]
            rows += [own | row for row in further]
    return pd.DataFrame(rows)
