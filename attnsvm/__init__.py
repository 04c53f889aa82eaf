"""Transformers as Support Vector Machines, rebuilt: training, certified max-margin solutions, figures.

Importing `attnsvm` costs nothing: the estimator and its errors are imported when they are first named.
"""

from typing import TYPE_CHECKING

from attnsvm.system import loader as _loader  # noqa: F401  first: it decides how all others are imported
from attnsvm.system.lazy import exports

if TYPE_CHECKING:
    from attnsvm.svm.estimator import AttentionSVM as AttentionSVM
    from attnsvm.svm.estimator import InfeasibleError as InfeasibleError
    from attnsvm.svm.estimator import UncertifiedError as UncertifiedError
    from attnsvm.system.version import __version__ as __version__
else:
    __getattr__, __dir__ = exports(__name__)
