"""The softmax and its logarithm, against sums in more digits."""

import mpmath
import numpy as np

from attnsvm.analysis.probabilities import log_softmax, softmax

LOGITS = np.array([[0.0, 1.0, -2.5], [800.0, 0.0, 799.0], [3.0, -np.inf, 3.0]])


def test_the_softmax_and_its_logarithm_are_those_of_exact_sums():
    for row, p, logs in zip(LOGITS, softmax(LOGITS), log_softmax(LOGITS), strict=True):
        with mpmath.workdps(400):
            shares = [mpmath.exp(x) for x in row.tolist()]
            exact = [share / sum(shares) for share in shares]
            np.testing.assert_allclose(p, np.array(exact, dtype=float), rtol=1e-15)
            wanted = [float(mpmath.log(x)) if x else -np.inf for x in exact]
        np.testing.assert_allclose(logs, wanted, rtol=1e-14)
