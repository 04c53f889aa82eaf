"""Transformers as Support Vector Machines, rebuilt: training, certified max-margin solutions, figures.

The subpackages import late what is heavy (torch, cvxpy, matplotlib); importing `attnsvm` costs nothing.
"""

__version__ = "0.1.0"


def __getattr__(name):
    if name in ("AttentionSVM", "InfeasibleError", "UncertifiedError"):
        from attnsvm.svm import estimator

        return getattr(estimator, name)
    raise AttributeError(f"module 'attnsvm' has no attribute {name!r}")
