"""The problems of the top and, by each rule of margins, of the layer below, in the norm of its steps."""

from attnsvm.experiments.beyond.other_steps.ends import below, ends_of
from attnsvm.experiments.beyond.other_steps.runs import RUNS, SEPARATE, trained_on
from attnsvm.svm.instances import answers
from attnsvm.svm.law import layer_problems


def svm(problems, trained, settings):
    return {name: of_run(trained_on(run, problems), trained[name], run.norm) for name, run in RUNS.items()}


def of_run(problems, run, norm):
    top = answers(layer_problems(SEPARATE, ends_of(problems, run), problems.queries)[2], norm)
    by_rule = below(problems, run)
    found = {rule: answers(constraints, norm) for rule, constraints in by_rule.items()}
    return {"top": top, "frobenius": answers(by_rule["graded"])} | found
