"""The max-margin separator of each context."""

from attnsvm.experiments.literature.looped.svm import svm as svm
