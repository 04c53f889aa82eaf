"""The law of the time to the circuit."""

import numpy as np


def law(N, run):
    """The time until half of the rows below have formed, under an even top; if they are given, that of the top."""
    return N**2.0 if run == "below given" else N**2.5 * np.arccosh(1.0 + N / (2.0 * np.log(N)))
