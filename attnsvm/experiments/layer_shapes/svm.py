"""The SVM of every layer: margin 1 in rows that count, margin 0 in the others."""

from attnsvm.experiments.layers.architectures import stack_of
from attnsvm.experiments.layers.svm import answers, below, bounds, tops


def svm(problems, trained, settings):
    solved = {}
    for name, run in trained.items():
        stack = stack_of(name)
        law = below(run, stack, bounds(problems, run, stack, "law"), "fro")
        solved[name] = {"top": {str(stack.layers): answers(tops(problems, run, stack), "fro")}, "law": law}
    return solved
