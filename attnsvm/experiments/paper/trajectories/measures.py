"""Points of the plane: tokens, the curves W(k) z_i of gradient descent, and the max-margin directions."""

import numpy as np
import pandas as pd

from attnsvm.analysis.measured import Measures, curves, outcomes
from attnsvm.analysis.selection import optimal_tokens
from attnsvm.system.errors import require

COLUMNS = ["kind", "parametrisation", "input", "token", "step", "x", "y", "angle"]
DIRECTION_LENGTH = 100  # multiple of the solution at which its direction is drawn, as published


def measures(cell, problems, trained, solved, settings):
    return planar(cell, problems, trained, solved)


def planar(cell, problems, trained, solved, further=None) -> Measures:
    """What is drawn of the instances of the plane.

    Args:
        further: function of an instance's tokens (2, T, 2), its optimal tokens (2,) and the max-margin directions W z_i
            (2, 2) of one parametrisation; returns further rows to draw. None: there are none.

    Raises:
        UserError: an instance has no certified solution.
    """
    optimal = optimal_tokens(problems.tokens, problems.head, problems.labels)
    frames = []
    for s, seed in enumerate(problems.seeds):
        tokens, queries = problems.tokens[s], problems.queries[s]
        frames.append(_tokens(tokens, optimal[s]))
        for parametrisation, run in trained.items():
            answer, own = solved[parametrisation], {"parametrisation": parametrisation}
            status = answer["status"][s]
            require(
                status == "solved",
                f"seed {seed} has no certified solution for {parametrisation} ({status}): choose another",
            )
            directions = queries @ answer["W"][s].T
            frames.append(_trajectory(run["steps"], run["weights"][s] @ queries.T, directions).assign(**own))
            frames.append(_directions(DIRECTION_LENGTH * directions).assign(**own))
            if further is not None:
                frames.append(further(tokens, optimal[s], directions).assign(**own))
    return Measures(pd.concat(frames).reindex(columns=COLUMNS), outcomes(cell, problems.seeds, "drawn"))


def _tokens(tokens: np.ndarray, optimal: np.ndarray) -> pd.DataFrame:
    n, T, _ = tokens.shape
    best = np.arange(T) == optimal[:, None]
    return pd.DataFrame(
        {
            "kind": np.where(best, "optimal_token", "token").ravel(),
            "input": np.repeat(np.arange(1, n + 1), T),
            "token": np.tile(np.arange(1, T + 1), n),
            "x": tokens[..., 0].ravel(),
            "y": tokens[..., 1].ravel(),
        }
    )


def _trajectory(steps: np.ndarray, points: np.ndarray, directions: np.ndarray) -> pd.DataFrame:
    """Rows of the points (L, 2, n) at the logged steps (L,), with their angle to the max-margin directions (n, 2)."""
    x, y = points.transpose(1, 2, 0)
    a, b = directions.T[..., None]
    angle = np.degrees(np.arctan2(np.abs(a * y - b * x), a * x + b * y))
    angle = np.where((x == 0) & (y == 0), np.nan, angle)
    inputs = np.arange(1, len(x) + 1)
    rows = curves(inputs, steps, {"x": x, "y": y, "angle": angle}, kind="trajectory")
    return rows.rename(columns={"seed": "input"})


def _directions(ends: np.ndarray) -> pd.DataFrame:
    """Rows of one end point (n, 2) per input."""
    inputs = np.arange(1, len(ends) + 1)
    return pd.DataFrame({"kind": "svm_direction", "input": inputs, "x": ends[:, 0], "y": ends[:, 1]})
