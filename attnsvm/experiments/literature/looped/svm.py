"""The max-margin separator of each context, or the proof that there is none."""

import numpy as np

from attnsvm.svm.instances import certified

KEPT = ("W", "dual")  # of an answer, in addition to its proof


def svm(problems, trained, settings):
    return certified(problems, np.zeros(problems.labels.shape, dtype=int), "fro")
