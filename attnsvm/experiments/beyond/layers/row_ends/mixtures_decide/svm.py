"""The problems of both layers with a winner in every row, and with the mixtures that rows keep."""

from attnsvm.experiments.beyond.layers.row_ends.ends import TWO, corrected, stated
from attnsvm.experiments.beyond.layers.svm import every_layer


def svm(problems, trained, settings):
    ends = {"stated": stated(problems, trained, TWO), "corrected": corrected(problems, trained, TWO)}
    return {rule: every_layer(problems, TWO, own) for rule, own in ends.items()}
