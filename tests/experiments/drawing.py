"""Whether a figure shows its table, and small tables that several figures draw."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

SETTINGS = {"width": 6.75, "font_size": 8}


def assert_drawn(draw, table: pd.DataFrame, points) -> None:
    """The figure `draw(table, settings)` shows every place (x, y) of `points`."""
    wanted = {_place(x, y) for x, y in np.asarray(points, dtype=float)}
    assert wanted
    assert not wanted - drawn_points(draw(table, SETTINGS))


def drawn_points(figure: Figure) -> set[tuple[float, float]]:
    lines = [line for axes in figure.axes for line in axes.get_lines()]
    return {_place(x, y) for line in lines for x, y in zip(*line.get_data(), strict=True)}


def _place(x, y) -> tuple[float, float]:
    return round(float(x), 9), round(float(y), 9)


def told_apart(table: pd.DataFrame, *columns: str) -> pd.DataFrame:
    """The table with a little of its own added to every number of these columns: no line can stand for another."""
    little = 1e-4 * np.arange(len(table))
    return table.assign(**{column: table[column] + little for column in columns})


def medians(table: pd.DataFrame, keys: list[str], x: str, quantities: list[str]) -> np.ndarray:
    """The points (x, median) of each quantity over the groups of `keys`."""
    middle = table.groupby(keys)[quantities].median().reset_index()
    return np.concatenate([middle[[x, y]].dropna() for y in quantities])


def plane(separators: bool = False) -> pd.DataFrame:
    """Tokens, and per parametrisation and input a trajectory, a max-margin direction and perhaps a separating line."""
    rng = np.random.default_rng(0)
    rows = [
        {"kind": "optimal_token" if t == 1 else "token", "input": i, "token": t, "x": rng.normal(), "y": rng.normal()}
        for i in (1, 2)
        for t in (1, 2, 3)
    ]
    for p in ("W", "KQ"):
        for i in (1, 2):
            own = {"parametrisation": p, "input": i}
            rows += [
                own | {"kind": "trajectory", "step": k, "x": i * k, "y": -k, "angle": 90 / k if k else None}
                for k in range(5)
            ]
            rows += [own | {"kind": "svm_direction", "x": 100.0 * i, "y": -100.0}]
            if separators:
                ends = [{"step": k, "x": 100.0 * k - 50, "y": 50.0 - 100 * k} for k in (0, 1)]
                rows += [own | {"kind": "separator", **end} for end in ends]
    return told_apart(pd.DataFrame(rows), "x", "y")


def local_convergence() -> pd.DataFrame:
    frame = pd.DataFrame(
        {"parametrisation": p, "quantity": q, "step": k, "mean": 1 - 0.9**k, "std": 0.1, "instances": 100}
        | {"low": 0.9 - 0.9**k, "high": 1.0}
        for p in ("W", "KQ")
        for q in ("softmax", "corr_fro", "corr_nuc")
        for k in range(0, 50, 10)
    )
    return told_apart(frame, "mean")


def normalisation() -> pd.DataFrame:
    frame = pd.DataFrame(
        {"normalisation": kind, "parametrisation": p, "step": k, "median": 1 / k, "low": 0.5 / k, "high": 2 / k}
        | {"mean": 1.1 / k, "instances": 10}
        for kind in ("published", "exact")
        for p in ("W", "KQ")
        for k in (1, 10, 100)
    )
    return told_apart(frame, "median")


def convergence_types() -> pd.DataFrame:
    frame = pd.DataFrame(
        {"n": n, "T": T, "d": d, "parametrisation": p, "type": kind, "share": 0.1 * k + 0.01 * d, "instances": 500}
        for n, T in ((3, 3), (5, 5))
        for d in (2, 8)
        for p in ("W", "KQ")
        for k, kind in enumerate(("global", "local", "not_local", "not_saturated", "all_support"))
    )
    frame = told_apart(frame, "share")
    return frame.assign(low=frame.share - 0.02, high=frame.share + 0.02)


def together(**tables: pd.DataFrame) -> pd.DataFrame:
    """The tables of several experiments as one, told apart by `experiment`."""
    frames = [frame.assign(experiment=name) for name, frame in tables.items()]
    return pd.concat(frames, ignore_index=True)
