"""How far the trained weights are from their predicted limits: per data set and step, then quartiles.

`ahead` is 1 − correlation with W_fin + C·W_mm, C fitted for runs as published and from the norm of W otherwise;
`inside` is the distance between the part of W in the span of the equalities and W_fin, `direction` 1 − their
correlation, both of data sets whose W_fin is not zero.
"""

import numpy as np

from attnsvm.analysis.directions import correlation, fitted_scale, scale_by_norm, svm_equivalent
from attnsvm.analysis.measured import all_solved, curves, gathered, outcomes
from attnsvm.analysis.medians import quartiles, with_means

# loss, parametrisation, rule, the solution, and how C is found
RUNS = (
    ("nll", "W", "published", "fro"),
    ("nll", "W", "split", "fro"),
    ("squared", "W", "published", "fro"),
    ("squared", "W", "split", "fro"),
    ("squared", "W", "published", "graded"),
    ("squared", "W", "split", "graded"),
    ("nll", "KQ", "split", "fro"),
    ("nll", "KQ", "split", "nuc"),
)

SOME = 1e-6  # ‖W_fin‖ above which it has a direction: labels drawn as often as each other leave it zero


@gathered
def measures(cell, problems, trained, solved, settings):
    exists = np.logical_and.reduce([part["exists"] for part in trained["finite"].values()])
    outcome = became(cell, np.abs(trained["basis"]).max((1, 2, 3)) > 0, solved, exists)
    kept = outcome == cell.variant
    for loss, parametrisation, rule, solution in RUNS:
        run = trained["factored"] if parametrisation == "KQ" else trained[rule][loss]
        W, fin = run["weights"][kept], trained["finite"][loss]["W"][kept, None]
        scale = fitted_scale if rule == "published" else scale_by_norm
        target = svm_equivalent(W, fin, solved[solution]["W"][kept, None], scale)
        values = {"value": 1.0 - correlation(W, target)}
        columns = {"graphs": cell.variant, "loss": loss, "parametrisation": parametrisation, "rule": rule}
        yield curves(problems.seeds[kept], run["steps"], values, **columns, solution=solution, quantity="ahead")
        if solution == "fro" and cell.variant == "cyclic":
            basis = trained["basis"][kept]
            flat = basis.reshape(*basis.shape[:2], -1)
            own = (W.reshape(*W.shape[:2], -1) @ flat.mT @ flat).reshape(W.shape)
            size = np.linalg.norm(fin, axis=(2, 3)) > SOME
            with np.errstate(divide="ignore", invalid="ignore"):
                apart = {"inside": np.linalg.norm(own - fin, axis=(2, 3)), "direction": 1.0 - correlation(own, fin)}
            for quantity, value in apart.items():
                values, columns["quantity"] = {"value": np.where(size, value, np.nan)}, quantity
                yield curves(problems.seeds[kept], run["steps"], values, **columns, solution="fin")
    yield outcomes(cell, problems.seeds, outcome)


def became(cell, cyclic: np.ndarray, solved: dict, exists: np.ndarray) -> np.ndarray:
    """What became of each data set, (S,) words: the kind of the cell, where it can be measured.

    Args:
        cyclic: (S,) bool, whether its graphs have a cycle.
        exists: (S,) bool, whether its W_fin is finite.
    """
    ordered = np.logical_and.reduce([np.abs(answers["W"]).max((1, 2)) > 0 for answers in solved.values()])
    conditions = [cyclic != (cell.variant == "cyclic"), ~all_solved(solved.values()), ~ordered, ~exists]
    reasons = ["no data set of its kind drawn", "without SVM", "no order to learn", "W_fin at infinity"]
    return np.select(conditions, reasons, cell.variant)


KEYS = ["graphs", "loss", "parametrisation", "rule", "solution", "quantity", "step"]


def table(measures, settings):
    return with_means(quartiles, measures.instances.dropna(), KEYS, smallest="min", largest="max")
