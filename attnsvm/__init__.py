"""Transformers as Support Vector Machines, rebuilt: training, certified max-margin solutions, figures.

Importing `attnsvm` costs nothing: the estimator and its errors are imported when they are first named.
"""

import importlib

# Named in strings: what a job depends on is found from import statements, and no job depends on the estimator.
_FROM = {
    "AttentionSVM": "attnsvm.svm.estimator",
    "InfeasibleError": "attnsvm.svm.estimator",
    "UncertifiedError": "attnsvm.svm.estimator",
}


def __getattr__(name):
    if name == "__version__":
        return importlib.import_module("importlib.metadata").version("attnsvm")
    if name in _FROM:
        return getattr(importlib.import_module(_FROM[name]), name)
    raise AttributeError(f"module 'attnsvm' has no attribute {name!r}")
