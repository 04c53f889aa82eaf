"""Transformers as Support Vector Machines, rebuilt: training, certified max-margin solutions, figures.

The subpackages import late what is heavy (torch, cvxpy, matplotlib); importing `attnsvm` costs nothing.
"""

__version__ = "0.1.0"
