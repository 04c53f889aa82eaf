"""The SVM of every layer: margin 1 in rows that count, margin 0 in the others."""

from attnsvm.architecture import Stack
from attnsvm.experiments.layers.svm import answers, below, bounds, tops


def svm(problems, trained, settings):
    solved = {}
    for name, run in trained.items():
        stack = Stack(layers=run["weights"].shape[2])
        law = below(run, stack, bounds(problems, run, stack, "law"), "fro")
        solved[name] = {"top": {str(stack.layers): answers(tops(problems, run, stack), "fro")}, "law": law}
    return solved
