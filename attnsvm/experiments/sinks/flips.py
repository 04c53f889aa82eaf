"""What tries the claims: a made-up table on which they hold, a number that flips each, and what leaves no instance."""

from attnsvm.audit.flips import Empty, Flip, quantities, spread


def table():
    """A sink with softmax alone, no solution without a fixed token, a path to the solution of all rows."""
    found = {
        ("fixed", "softmax"): {"first": 0.99, "others": 0.01, "error": 1e-3},
        ("fixed", "ReLU"): {"first": 1e-3, "others": 1e-3, "error": 1e-3},
        ("published", "softmax"): {"first": 0.99, "others": 0.01, "error": 1e-3},
        ("published", "ReLU"): {"first": 1e-3, "others": 1e-3, "error": 1e-3},
        ("shuffled", "softmax"): {"first": 0.3, "others": 0.7, "error": 0.4},
        ("shuffled", "ReLU"): {"first": 1e-3, "others": 1e-3, "error": 0.06},
        ("fixed", "SVM"): {"solved": 1.0, "refuted": 0.0, "squared norm": 4 / 3},
        ("shuffled", "SVM"): {"solved": 0.0, "refuted": 1.0},
    }
    rows = []
    for (first, model), values in found.items():
        rows += quantities(values, first=first, model=model, at=0.0)
    for level, near, far in ((1e-2, 0.2, 0.07), (1e-8, 0.01, 0.2)):
        rows += quantities({"whole": near, "rest": far, "norm": 9.0}, first="fixed", model="path", at=level)
    return spread(rows, share=1e-5, instances=50)


FLIPS = {
    "sinks_softmax": Flip("first == 'fixed' and model == 'ReLU' and quantity == 'first'", "high", 0.5),
    "sinks_anchor": Flip("quantity == 'refuted' and first == 'shuffled'", "low", 0.2),
    "sinks_svm": Flip("model == 'path' and quantity == 'rest' and at < 1e-7", "low", 0.01),
}
EMPTY = {
    "sinks_softmax": [Empty("model != 'ReLU'", "first of ReLU, published")],
    "sinks_anchor": [Empty("first != 'shuffled'", "error of softmax, shuffled")],
    "sinks_svm": [Empty("model != 'path'", "path"), Empty("at != 1e-2", "second value of at")],
}
