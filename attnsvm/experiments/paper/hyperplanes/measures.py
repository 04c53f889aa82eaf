"""Points of the plane as in trajectories, and the line that separates each optimal token from the other tokens."""

import numpy as np
import pandas as pd

from attnsvm.experiments.paper.trajectories.measures import planar

REACH = 100.0  # half the length of a drawn line


def measures(cell, problems, trained, solved, settings):
    return planar(cell, problems, trained, solved, further=separators)


def separators(tokens: np.ndarray, optimal: np.ndarray, directions: np.ndarray) -> pd.DataFrame:
    """Each line: orthogonal to W z_i, half a margin 1/‖W z_i‖ short of the optimal token, as two end points."""
    rows = []
    for i, (direction, best) in enumerate(zip(directions, optimal, strict=True)):
        foot = tokens[i, best] - direction / (2 * direction @ direction)
        along = np.array([-direction[1], direction[0]]) / np.linalg.norm(direction)
        ends = foot + REACH * np.array([[-1.0], [1.0]]) * along
        rows.append(pd.DataFrame({"input": i + 1, "step": [0, 1], "x": ends[:, 0], "y": ends[:, 1]}))
    return pd.concat(rows).assign(kind="separator")
