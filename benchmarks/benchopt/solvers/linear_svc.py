"""scikit-learn's LinearSVC, hinge with C = 1e6 and no intercept: constraints alternately as they are and mirrored."""

import warnings

import numpy as np
from benchopt import BaseSolver
from sklearn.svm import LinearSVC

from attnsvm.svm import separation

NUMBERS = 1e7  # of the matrix of features


class Solver(BaseSolver):
    name = "LinearSVC"
    sampling_strategy = "iteration"

    def skip(self, tokens, queries, selected, norm):
        n, T, d = tokens.shape
        numbers = n * (T - 1) * d * queries.shape[1]
        return (
            norm != "fro" or numbers > NUMBERS,
            f"for the Frobenius norm; the matrix of features has {numbers:.0e} numbers",
        )

    def set_objective(self, tokens, queries, selected, norm):
        c = separation(tokens, queries, selected)
        self.shape, self.sign = c.shape, np.where(np.arange(len(c)) % 2, 1, -1)
        self.features = np.einsum("ka,kb->kab", c.left, c.right).reshape(len(c), -1) * self.sign[:, None]

    def run(self, iterations):
        machine = LinearSVC(C=1e6, loss="hinge", fit_intercept=False, tol=1e-12, max_iter=max(iterations, 1))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that it was stopped
            machine.fit(self.features, self.sign)
        self.W = machine.coef_.reshape(self.shape)

    def get_result(self):
        return {"W": self.W}
