"""The SVM of every layer: margin 1 in rows that count, margin 0 in the others.

top, law   on the tokens as they are after the last step
stated     on the tokens that rows go to, with a winner in each
corrected  the same, where a row may keep a mixture
"""

from attnsvm.data.architecture import Stack
from attnsvm.experiments.beyond.layers.svm import answers, below, bounds, corrected, every_layer, stated, tops


def svm(problems, trained, settings):
    solved = {}
    for name, run in trained.items():
        stack = Stack(layers=run["weights"].shape[2])
        law = below(run, stack, bounds(problems, run, stack, "law"), "fro")
        solved[name] = {
            "top": {str(stack.layers): answers(tops(problems, run, stack), "fro")},
            "law": law,
            "stated": every_layer(problems, stack, stated(problems, run, stack)),
            "corrected": every_layer(problems, stack, corrected(problems, run, stack)),
        }
    return solved
