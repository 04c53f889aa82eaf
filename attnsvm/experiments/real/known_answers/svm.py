"""Certified solutions of what each head selects, of its null models' selections, and of the right answers.

Null models of a head: a random one with its singular values, its own selections permuted, and its keys with the queries
of another head. All candidates are atoms of the reactants. Of the right answers also random ones in their place, and
the token that is most alike.
"""

import numpy as np

from attnsvm.analysis.trees import stacked
from attnsvm.experiments.real.known_answers.asked import asked, best_offset, positions, right, sizes
from attnsvm.inspect import cycles
from attnsvm.inspect.nulls import permuted, random_head
from attnsvm.inspect.solving import Problem, by_a_cycle
from attnsvm.svm.solution import Status, proof_of
from attnsvm.svm.solver import judged_solution, norm_and_tolerance, solve

QUERY_STREAM, HEAD_STREAM, LABEL_STREAM = 1, 2, 3


def svm(problems, trained, settings):
    found = []
    for s, number in enumerate(problems.seeds):
        fit, held = asked(problems, s)
        pretrained = bool(problems.head[s].size)
        few = sizes(problems, s, settings)
        one = {"answers": _answers(fit, held, few, settings)}
        one["names"] = {"same token": right(held.same, held.answer), "string": right(held.string, held.answer)}
        one["template"] = held.template.astype(float)
        if pretrained:
            one["heads"] = _heads(problems.head[s], int(number), fit, held, settings)
        found.append(one)
    return stacked(found)


def _answers(fit, held, sizes, settings):
    """The right answers of so many reactions: their solution, that of random answers, and what is most alike."""
    random = np.random.default_rng([settings["seed"], LABEL_STREAM]).integers(fit.counts)
    given = {"svm": fit.answer, "random answers": random}
    found, refuted = {}, {}
    for size in sorted(sizes):
        few = fit.of_reactions(size)
        one = {"cosine": {"right": right(_most_alike(few, held), held.answer)}}
        for kind, answers in given.items():
            if kind != "svm" and size > settings["random_inputs"]:  # nothing generalises, so all tokens are support
                continue
            one[kind], solution = _solved(few, answers[: len(few)], held, refuted.get(kind))
            if solution.status is Status.INFEASIBLE:
                refuted[kind] = solution.dual
        found[str(size)] = one
    return found


def _solved(fit, answers, held, refuted=None):
    """The row of a fit, and its solution; `refuted`: multipliers of fewer reactions, the first ones, that refute it."""
    c = fit.constraints(answers)
    if refuted is not None:  # what refutes a W for few refutes one for more: the other multipliers are zero
        dual, nothing = np.append(refuted, np.zeros(len(c) - len(refuted))), np.full(c.shape, np.nan)
        solution = judged_solution(
            c, *norm_and_tolerance("fro", None), nothing, dual, "multipliers of fewer reactions", True
        )
    else:
        same = cycles.equal(fit.tokens), cycles.equal(fit.queries)  # in the first layer words at places that recur
        solution = by_a_cycle(c, "fro", *same) or solve(c, "fro")
    row = proof_of(solution)
    hits = right(held.selections(solution.W), held.answer) if solution.solved else np.full(len(held), np.nan)
    return row | {"right": hits}, solution


def _most_alike(fit, held):
    """(m,) the token whose cosine with the query is largest, both less the mean of the fitted tokens."""
    middle = fit.tokens.mean(0)
    ranges = zip(held.first, held.counts, held.queries, strict=True)
    return np.array([int(_cosines(held.tokens[a : a + T] - middle, z - middle).argmax()) for a, T, z in ranges])


def _cosines(X, z):
    return X @ z / np.sqrt((X**2).sum(1))


def _heads(rows, number, fit, held, settings):
    """{kind: {quantity: (H, ...)}} of every head of a layer."""
    rng = np.random.default_rng([settings["seed"], QUERY_STREAM])
    ask = fit.take(np.sort(rng.permutation(len(fit))[: settings["queries"]]))
    problem = Problem(ask.inputs())
    every = [keys.T @ queries for keys, queries in rows]
    found = []
    for h, W in enumerate(every):
        rng = np.random.default_rng([settings["seed"], HEAD_STREAM, number, h])
        selected, own = ask.selections(W), held.selections(W)
        one = {"head": _answer(problem, W, ask, held)}
        other = rng.choice([k for k in range(len(every)) if k != h], settings["draws"])
        nulls = {
            "random": [_answer(problem, random_head(W, rng), ask, held) for _ in other],
            "permuted": [_answer(problem, W, ask, held, permuted(selected, ask.counts, rng)) for _ in other],
            "mismatched": [_answer(problem, rows[h, 0].T @ rows[k, 1], ask, held) for k in other],
        }
        one |= {kind: stacked(several) for kind, several in nulls.items()}
        rules = {
            "position": positions(held, best_offset(ask, selected)),
            "same token": held.same,
            "string": held.string,
        }
        one["rules"] = {name: right(named, own) for name, named in rules.items()}
        one["right"] = right(own, held.answer)
        found.append(one)
    return stacked(found)


def _answer(problem, W, ask, held, selected=None):
    """The solution of what W selects, or of other selections: cosine with W, and how often it selects what W does."""
    solution = problem.certified(ask.selections(W) if selected is None else selected, "fro")
    row = proof_of(solution)
    hits = right(held.selections(solution.W), held.selections(W)) if solution.solved else np.full(len(held), np.nan)
    aligned = problem.cosines(W, [solution.W])[0] if solution.solved else np.nan
    return row | {"alignment": np.array(aligned), "predicted": hits}
