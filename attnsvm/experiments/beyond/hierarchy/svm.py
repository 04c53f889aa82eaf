"""The SVM of every layer: margin 1 in rows that count, margin 0 in the others."""

from attnsvm.data.architecture import Stack
from attnsvm.experiments.beyond.layers.svm import answers, below, bounds, tops


def svm(problems, trained, settings):
    layers = trained["weights"].shape[2]
    stack = Stack(layers=layers)
    law = below(trained, stack, bounds(problems, trained, stack, "law"), "fro")
    return law | {str(layers): answers(tops(problems, trained, stack), "fro")}
