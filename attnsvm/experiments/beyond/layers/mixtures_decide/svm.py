"""The problems of both layers with a winner in every row, and with the mixtures that rows keep."""

from attnsvm.architecture import Stack
from attnsvm.experiments.beyond.layers.mixtures_decide.ends import corrected, stated
from attnsvm.experiments.beyond.layers.svm import answers, every_layer, tops


def svm(problems, trained, settings):
    stack = Stack(layers=2)
    ends = {"stated": stated(problems, trained, stack), "corrected": corrected(problems, trained, stack)}
    found = {rule: every_layer(problems, stack, own) for rule, own in ends.items()}
    return found | {"top": {"2": answers(tops(problems, trained, stack), "fro")}}
