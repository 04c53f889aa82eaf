"""The law's problem of every layer, and that with the counting rows shuffled."""

from attnsvm.data.architecture import Stack
from attnsvm.experiments.beyond.layers.svm import answers, below, bounds, tops

RULES = ("law", "shuffled")


def svm(problems, trained, settings):
    solved = {}
    for depth, run in trained.items():
        stack = Stack(layers=int(depth))
        found = {rule: below(run, stack, bounds(problems, run, stack, rule), "fro") for rule in RULES}
        found["law"][depth] = answers(tops(problems, run, stack), "fro")
        solved[depth] = found
    return solved
