"""Whether the circuit forms, how far both layers are from their SVMs, and how fast the layer below grows."""

import numpy as np
import pandas as pd

from attnsvm.analysis.directions import correlation
from attnsvm.analysis.measured import by_quantity, curves, gathered, outcomes
from attnsvm.analysis.medians import largest, medians, named_share, without_shares
from attnsvm.analysis.stacked import norms
from attnsvm.data.copying import embedded
from attnsvm.experiments.beyond.induction.ends import NEEDED, answer_place, half, rows_at
from attnsvm.experiments.beyond.induction.runs import RUNS
from attnsvm.experiments.beyond.induction.task import every_input

KEYS = ["run", "quantity", "step"]
DEGENERATE = 0.01  # least multiplier, over their mean, below which strict complementarity is hardly met
BELOW = ("needed", "every row", "answer's row", "moved")


@gathered
def measures(cell, problems, trained, solved, settings):
    one = embedded(every_input(cell.T))
    every = np.broadcast_to(one, (len(problems), *one.shape))
    for name, run in trained.items():
        steps, seeds = run["steps"], problems.seeds
        found = np.stack([formed(every, run["weights"][:, place]) for place in range(len(steps))], axis=2)
        whole = found[2, :, -1] == 1.0
        rows = [by_quantity(seeds, steps, {"previous": found[0], "answer": found[1], "share formed": found[2] == 1.0})]
        words = np.where(whole, "formed", "not formed")
        if RUNS[name].long:
            status = np.array([solved[name][rule]["status"] for rule in ("top", *BELOW)])
            unproved, refuted = (status == "uncertified").any(0), status[0] == "infeasible"
            proved = (status == "solved").all(0)
            rows += of_long(problems, run, solved[name], whole & proved)
            rows.append(curves(seeds[~whole], steps[-1:], {"value": refuted[~whole]}, quantity="share refuted"))
            cases = [unproved, whole & ~proved, ~whole & refuted]
            words = np.select(cases, ["uncertified", "formed, not separable", "not formed, no answer"], words)
        yield pd.concat(rows).assign(run=name)
        yield outcomes(cell, seeds, [f"{word} ({name})" for word in words])


def formed(tokens, W):
    """Over all inputs (S, N, T, d), for weights (S, 2, d, d): three numbers for each instance, (3, S).

    The mean probability that the row at the answer's place has at the place before; that the top has at the answer's
    place; and the share of inputs in which both are the largest of their rows.
    """
    rows, place = rows_at(tokens, W), answer_place(tokens)
    row = np.take_along_axis(rows.below, place[..., None, None], 2)[:, :, 0]
    both = (row.argmax(-1) == place - 1) & (rows.top.argmax(-1) == place)
    parts = (np.take_along_axis(of, at[..., None], -1)[..., 0] for of, at in ((row, place - 1), (rows.top, place)))
    return np.array([*(np.exp(part).mean(1) for part in parts), both.mean(1)])


def of_long(problems, run, answers, good):
    """Distances, the growth of the layer below and what it needs, of the instances `good` (S,) bool, tidy rows."""
    W, steps = run["weights"][good], run["steps"]
    length, place, every = norms(W), half(run)[good], np.arange(good.sum())
    solved = {rule: answers[rule]["W"][good] for rule in ("top", *BELOW)}
    needed, first = solved["needed"], W[:, :, 0]
    growth = first[:, -1] - first[every, place]
    size = np.linalg.norm(needed, axis=(1, 2))
    along = {"top": 1.0 - correlation(W[:, :, 1], solved["top"][:, None]), "norm": length}
    along["needed"] = 1.0 - correlation(first, needed[:, None])
    along["coefficient"] = (first * needed[:, None]).sum((2, 3)) / size[:, None] ** 2
    stride = np.log(length[:, -1] / length[every, place])
    ends = {"pace": np.linalg.norm(growth, axis=(1, 2)) / (stride * size)}
    p, unit = np.exp(rows_at(problems.tokens[good], W[:, -1]).below), np.linalg.norm(solved["top"], axis=(1, 2))
    force = (p * answers["gain"][good]).sum((1, 2, 3)) / unit
    ends["force"] = length[:, -1] ** 2 * force / (2.0 * size**2)
    ends["at the start"] = 1.0 - correlation(first[:, 0], needed)
    for rule in BELOW:
        ends[f"growth, {rule}"] = 1.0 - correlation(growth, solved[rule])
        if rule != "needed":
            ends[f"apart from {rule}"] = 1.0 - correlation(needed, solved[rule])
    if "least" in answers:
        least = answers["least"][good]
        ends |= {"least multiplier": least, "share degenerate": least < DEGENERATE}
    ends |= needed_terms(problems.tokens[good], answers["gain"][good])
    found = [(steps, along), (steps[-1:], ends)]
    return [by_quantity(problems.seeds[good], where, of) for where, of in found]


def needed_terms(tokens, gain):
    """The part of the tokens of a row that the margin of the top gains by losing, (S,), by what row and token are.

    Every row below the query's chooses the place before it, the query's itself. The first place, too, holds the symbol
    of the query: no row of the query can prefer it.
    """
    T, place = tokens.shape[2], answer_place(tokens)[..., None, None]
    row, token = np.arange(T)[:, None], np.arange(T)
    first, loses = token == place - 1, (token <= row) & (token != row - 1) & (row < T - 1)
    kinds = {
        "part, answer's row": loses & (row == place),
        "part, other rows, first place": loses & (row != place) & first,
        "part, other rows, other tokens": loses & (row != place) & ~first,
        "part, query's row": (row == T - 1) & (token < T - 1) & ~first,
    }
    some = gain > NEEDED * gain.max((1, 2, 3), keepdims=True)
    return {kind: (some & at).sum((1, 2, 3)) / at.sum((1, 2, 3)) for kind, at in kinds.items()}


def table(measures, settings):
    return without_shares(medians(measures.instances, KEYS, named_share, largest=largest), "largest")
