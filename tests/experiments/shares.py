"""A small table of convergence types, as the figures that draw it read it."""

import pandas as pd


def convergence_types() -> pd.DataFrame:
    frame = pd.DataFrame(
        {"n": n, "T": T, "d": d, "parametrisation": p, "type": kind, "share": 0.1 * k + 0.01 * d, "instances": 500}
        for n, T in ((3, 3), (5, 5))
        for d in (2, 8)
        for p in ("W", "KQ")
        for k, kind in enumerate(("global", "local", "not_local", "not_saturated", "all_support"))
    )
    return frame.assign(low=frame.share - 0.02, high=frame.share + 0.02)
