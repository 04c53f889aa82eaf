"""The certified least change of the head for each draw, and what it does to held-out mappings."""

import numpy as np

from attnsvm.analysis.trees import stacked
from attnsvm.experiments.real.corrections.asked import draws, head
from attnsvm.svm.change import least_change
from attnsvm.svm.solution import proof_of


def svm(problems, trained, settings):
    found = []
    for s in range(len(problems)):
        W = head(problems, s)
        found.append(stacked([_least(draw, W) for draw in draws(problems, s)]))
    return stacked(found)


def _least(draw, W):
    answer = least_change(draw.constraints(W), W)
    row = draw.outcome(W + answer.W if answer.solved else np.full_like(W, np.nan))
    row |= {"length": float(np.linalg.norm(answer.W) / np.linalg.norm(W)), "template": draw.template}
    # how many held-out mappings there are, and how many of them are mistakes
    row |= {"queries": len(draw.held), "mistakes": int(draw.wrong.sum())}
    return {"change": row} | proof_of(answer)
