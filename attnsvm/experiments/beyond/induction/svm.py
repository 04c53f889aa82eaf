"""The SVMs of both layers of the runs that are long, on the tokens that rows go to.

top           the second layer: the answer's place wins among the composed tokens
needed        the first: margin 1 where the margin of the top gains by it, and equal logits of tokens that a row keeps
every row     margin 1 in every row
answer's row  margin 1 in the rows of the tokens that the top selects: what the copying needs first
moved         a control: margin 1 in every row, where each position attends to another one, the same in all inputs
"""

import numpy as np
from scipy.optimize import linprog

from attnsvm.analysis.selection import SUPPORT_TOLERANCE
from attnsvm.experiments.beyond.induction.ends import NEEDED, answer_place, composed_by, gains, in_the_limit, kept
from attnsvm.experiments.beyond.induction.runs import RUNS
from attnsvm.svm.constraints import Constraints, TokenConstraints, separation, sequence
from attnsvm.svm.solution import Solution, as_arrays
from attnsvm.svm.solver import solve_batch

KEPT = ("W",)  # of an answer, in addition to its proof
CONTROL_STREAM = 41026  # keeps the control's draws apart from what else is drawn with a seed


def svm(problems, trained, settings):
    return {name: of_run(problems, trained[name], not run.separate) for name, run in RUNS.items() if run.long}


def of_run(problems, run, together=True):
    """The answers by rule; "gain", what the top's margin gains by the winner of each row, (S, n, T, T).

    And where one norm divides the gradients together "least", see `least_multiplier`, (S,).
    """
    X, p, stays = problems.tokens, in_the_limit(problems.tokens, run), kept(problems.tokens, run)
    composed, place, chosen = composed_by(X, p), answer_place(X), p.argmax(-1)
    top = solve_batch([separation(y, y[:, -1], a) for y, a in zip(composed, place, strict=True)])
    gain = gained(X, composed, p, top)
    full = [sequence(x, w, causal=True) for x, w in zip(X, chosen, strict=True)]
    rows = np.arange(X.shape[2]) == place[..., None]
    elsewhere = [other_places(w, seed) for w, seed in zip(chosen, problems.seeds.tolist(), strict=True)]
    rules = {
        "needed": [needed(c, at(c, g), at(c, k)) for c, g, k in zip(full, gain, stays, strict=True)],
        "every row": full,
        "answer's row": [c[here.ravel()[c.index[:, 0]]] for c, here in zip(full, rows, strict=True)],
        "moved": [sequence(x, w, causal=True) for x, w in zip(X, elsewhere, strict=True)],
    }
    each = {rule: [distinct(c) for c in some] for rule, some in rules.items()}
    solved = {rule: solve_batch(some) for rule, some in each.items()}
    found: dict = {rule: as_arrays(some) for rule, some in solved.items()} | {"top": as_arrays(top), "gain": gain}
    if together:
        pairs = zip(each["needed"], solved["needed"], strict=True)
        found["least"] = np.array([least_multiplier(*one) for one in pairs])
    return found


def gained(tokens, composed, p, top):
    """How much more the top's margin gains by the winner of a row than by each other token, (S, n, T, T)."""
    S, n, T, _ = tokens.shape
    W, dual = np.zeros((S, *top[0].W.shape)), np.zeros((S, n, T))
    others = np.arange(T) != answer_place(tokens)[..., None]
    for s, answer in enumerate(top):
        if answer.solved:
            W[s], dual[s][others[s]] = answer.W, answer.dual
    gain = gains(tokens, composed, W, dual)
    return np.take_along_axis(gain, p.argmax(-1)[..., None], -1) - gain


def at(constraints: Constraints, terms: np.ndarray) -> np.ndarray:
    """The entries (m,) of an array (n, T rows, T tokens) that belong to the constraints of `sequence`."""
    row, _, token = constraints.index.T
    return terms.reshape(-1, terms.shape[-1])[row, token]


def needed(full: TokenConstraints, gain: np.ndarray, stays: np.ndarray) -> Constraints:
    """The constraints by which the top's margin gains, equalities where the token stays.

    Inputs that begin alike share their rows, and rows of one symbol at one place share their constraints: what a
    constraint gains is added up over all that are the same.
    """
    total = np.bincount(same(full), gain)[same(full)]
    some = total > NEEDED * total.max(initial=0.0)
    return full.with_equality(stays)[some]


def least_multiplier(constraints: Constraints, answer: Solution) -> float:
    """The least multiplier of a term at its margin, over their mean, by the choice that makes it largest.

    Terms that depend on one another leave a choice: a linear program. Zero is the degenerate case. NaN without a
    solution or without a term.
    """
    if not answer.solved:
        return np.nan
    reached = constraints.apply(answer.W)
    active = constraints[~constraints.equality & (reached <= constraints.bound * (1.0 + SUPPORT_TOLERANCE))]
    free, m = constraints[constraints.equality], len(active)
    if not m:
        return np.nan
    left, right = (np.vstack([getattr(one, side) for one in (active, free)]) for side in ("left", "right"))
    terms = (left[:, :, None] * right[:, None]).reshape(len(left), -1)
    # Multipliers x, of which those of `active` are at least s: the largest s. They add up to ‖W‖².
    equal = np.column_stack([terms.T, np.zeros(terms.shape[1])])
    above = np.column_stack([-np.eye(m), np.zeros((m, len(free))), np.ones(m)])
    bounds = [(0, None)] * m + [(None, None)] * len(free) + [(None, None)]
    cost = np.append(np.zeros(len(terms)), -1.0)
    size = np.square(answer.W).sum()
    found = linprog(cost, A_ub=above, b_ub=np.zeros(m), A_eq=equal, b_eq=answer.W.ravel(), bounds=bounds)
    return max(found.x[-1], 0.0) * m / size if found.status == 0 else np.nan


def same(constraints: Constraints) -> np.ndarray:
    """A number for each constraint, (m,): those of equal matrices have the same."""
    factors = np.hstack([constraints.left, constraints.right, constraints.equality[:, None]])
    return np.unique(factors, axis=0, return_inverse=True)[1].ravel()


def distinct(constraints: Constraints) -> Constraints:
    """The first of all constraints that are the same."""
    return constraints[np.sort(np.unique(same(constraints), return_index=True)[1])]


def other_places(chosen: np.ndarray, seed: int) -> np.ndarray:
    """For rows that choose (n, T), a place for each position at random, not the one it chooses most often, (n, T)."""
    generator, T = np.random.default_rng([CONTROL_STREAM, seed]), chosen.shape[1]
    often = [np.bincount(column).argmax() for column in chosen.T]
    places = [generator.choice([t for t in range(q + 1) if t != often[q] or q == 0]) for q in range(T)]
    return np.broadcast_to(places, chosen.shape).astype(int)
