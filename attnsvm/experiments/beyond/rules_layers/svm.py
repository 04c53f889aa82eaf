"""The SVM of each layer in the norm of its rule, and in the Frobenius norm; the law of `layers` says what it asks."""

from attnsvm.experiments.beyond.layers.svm import answers, below, bounds, tops
from attnsvm.experiments.beyond.rules_layers.architectures import STACK


def svm(problems, trained, settings):
    return {
        rule: {norm: solved(problems, run, norm) for norm in dict.fromkeys((rule, "fro"))}
        for rule, run in trained.items()
    }


def solved(problems, run, norm):
    """The answers of the top and of the layer below, {which: {layer: stacked}}."""
    top = {str(STACK.layers): answers(tops(problems, run, STACK), norm)}
    return {"top": top, "law": below(run, STACK, bounds(problems, run, STACK, "law"), norm)}
