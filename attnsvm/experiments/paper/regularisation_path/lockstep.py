"""L-BFGS from many starts at once: in every round each descent that goes on asks for one value, all in one call.

The steps are those of SciPy, by the compiled function behind `minimize(method="L-BFGS-B")` (SciPy 1.15 and later): the
ends are those of `minimize` to the bit. With `minimize` itself, one start at a time, the same path takes six times as
long: its bookkeeping and NumPy's cost for small arrays are saved here.
"""

from collections.abc import Callable

import numpy as np
from scipy.optimize import _lbfgsb

MEMORY = 20  # pairs of steps and gradients kept
LINE_SEARCH = 20  # values asked for along one direction
ASKS, MOVED, STOP, TOO_LONG = 3, 1, 5, 504  # words of the compiled function


def minimise(function: Callable, starts: np.ndarray, iterations: int, ftol: float, gtol: float) -> np.ndarray:
    """Where the descents from `starts` (B, m) end, (B, m).

    Args:
        function: given the numbers (A,) of some of the descents, returns a function of points (A, m), one of each:
            their values (A,) and gradients (A, m).
        iterations: the most steps of one descent.
        ftol, gtol: as `scipy.optimize.minimize` takes them.
    """
    descents = [_Descent(start, iterations, ftol / np.finfo(float).eps, gtol) for start in starts]
    active = [k for k, descent in enumerate(descents) if descent.goes_on()]
    evaluated = here = None
    while active:
        if active != evaluated:
            evaluated, here = active, function(np.array(active))
        values, gradients = here(np.stack([descents[k].x for k in active]))
        answers = zip(active, values.tolist(), gradients, strict=True)
        active = [k for k, value, gradient in answers if descents[k].goes_on(value, gradient)]
    return np.stack([descent.x for descent in descents])


class _Descent:
    """One descent between two values; `x` is where it asks for one, and where it ends."""

    def __init__(self, start, iterations, factr, gtol):
        m, n = MEMORY, len(start)
        self.x, self.left = np.array(start), iterations
        self.value, self.gradient = 0.0, np.zeros(n)
        no_bounds = np.zeros(n), np.zeros(n), np.zeros(n, np.int32)
        self.before = m, self.x, *no_bounds
        self.task = np.zeros(2, np.int32)
        room = np.zeros(2 * m * n + 5 * n + 11 * m * m + 8 * m), np.zeros(3 * n, np.int32)
        saved = np.zeros(4, np.int32), np.zeros(44, np.int32), np.zeros(29)
        self.after = factr, gtol, *room, self.task, *saved, LINE_SEARCH, np.zeros(2, np.int32)

    def goes_on(self, value: float | None = None, gradient: np.ndarray | None = None) -> bool:
        """Take the value and gradient asked for; go on, and say whether another is needed."""
        if gradient is not None:
            self.value, self.gradient = value, gradient.copy()
        while True:
            _lbfgsb.setulb(*self.before, self.value, self.gradient, *self.after)
            if self.task[0] != MOVED:
                return self.task[0] == ASKS
            self.left -= 1
            if self.left == 0:
                self.task[:] = STOP, TOO_LONG
