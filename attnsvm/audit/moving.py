"""Whether a number that has not reached its limit is still on the way: its slope against the logarithm of the step.

"Fails" of a limit means that the number stands still on the wrong side. A number moves where the whole 95 % interval of
its slope, by least squares over the last decade of steps, points to the limit, and a decade more at the nearer end of
that interval changes a fifth of what is missing, or more.
"""

import numpy as np

POINTS = 4  # at least, on the decade
MOVES = 0.2  # of what is missing, per decade


def goes_to(limit: float, falls: bool, steps: np.ndarray, values: np.ndarray) -> bool:
    """Whether values (m,) after `steps` (m,) go to a limit from above (`falls`) or from below, and are not there."""
    if len(steps) < POINTS or not np.isfinite(values).all():
        return False
    missing = values - limit if falls else limit - values
    slope, half = slope_interval(np.log10(steps), values)
    nearest = -(slope + half) if falls else slope - half
    return bool(missing[-1] > 0 and nearest >= MOVES * missing[-1])


def slope_interval(x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """The slope of y (m,) against x (m,) by least squares, and half of its 95 % interval (Student)."""
    from scipy.special import stdtrit

    x, y = x - x.mean(), y - y.mean()
    slope = float(x @ y / (x @ x))
    rest = y - slope * x
    return slope, float(stdtrit(len(x) - 2, 0.975) * np.sqrt(rest @ rest / (len(x) - 2) / (x @ x)))
