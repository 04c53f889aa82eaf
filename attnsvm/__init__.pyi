# What `import attnsvm` offers, for type checkers: the module itself imports it when it is first named.
from attnsvm.svm.estimator import AttentionSVM as AttentionSVM
from attnsvm.svm.estimator import InfeasibleError as InfeasibleError
from attnsvm.svm.estimator import UncertifiedError as UncertifiedError

__version__: str
