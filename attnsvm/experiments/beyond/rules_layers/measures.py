"""The margin ratio of each layer, in the norm of its rule and in the Frobenius norm, and of matrices never trained."""

import numpy as np

from attnsvm import geometry
from attnsvm.analysis.margins import margin_ratio
from attnsvm.analysis.measured import curves, gathered, outcomes
from attnsvm.analysis.medians import medians
from attnsvm.analysis.selection import selected_sets, selected_tokens
from attnsvm.analysis.stacked import SATURATED
from attnsvm.analysis.statistics import middle_half
from attnsvm.data.architecture import counting_rows
from attnsvm.experiments.beyond.layers.measures import MEASURED, outcome

KEYS = ["rule", "layer", "quantity", "step"]
SHARES = ("lead", "share mixed", "share measured")


@gathered
def measures(cell, problems, trained, solved, settings):
    for rule, run in trained.items():
        words = [outcome(run, answers) for answers in solved[rule].values()]
        became = np.where(words[0] == MEASURED, words[-1], words[0])
        yield outcomes(cell, problems.seeds, [f"{word} ({rule})" for word in became])
        kept, last = became == MEASURED, run["steps"][-1:]
        seeds = problems.seeds[kept]
        whole = {"rule": rule, "layer": 0}
        yield curves(problems.seeds, last, {"value": kept}, **whole, quantity="share measured")
        mixed = (run["below"].max(-1) < SATURATED).any((1, 2, 3, 4))
        yield curves(seeds, last, {"value": mixed[kept]}, **whole, quantity="share mixed")
        for layer, which in ((1, "law"), (2, "top")):
            rows = rows_of(problems, run, layer)
            weights = run["weights"][:, :, layer - 1, 0]
            every = np.concatenate([weights, untrained(rows, rule)[:, None]], axis=1)
            own = ratio(rows, every, rule, solved[rule][rule][which][str(layer)]["W"])
            frobenius = ratio(rows, weights, "fro", solved[rule]["fro"][which][str(layer)]["W"])
            ratios = {"own": own[:, :-1], "frobenius": frobenius, "untrained": own[:, -1:]}
            columns = {"rule": rule, "layer": layer}
            for quantity, value in ratios.items():
                steps = last if quantity == "untrained" else run["steps"]
                yield curves(seeds, steps, {"value": value[kept]}, **columns, quantity=quantity)
            others = [ratios["untrained"][:, -1]] + [ratios["frobenius"][:, -1]] * (rule != "fro")
            lead = ratios["own"][:, -1] > np.max(others, axis=0)
            yield curves(seeds, last, {"value": lead[kept]}, **columns, quantity="lead")


def rows_of(problems, run, layer):
    """Each row of a layer as a separate input: tokens (S, R, T, d), queries (S, R, d), its winner (S, R), and which
    rows count (S, R, 1).
    """
    tokens = run["tokens"][:, layer - 1]
    S, n, T, d = tokens.shape
    if layer == 2:
        return tokens, problems.queries, selected_tokens(run["top"])[:, 0, :, 0], np.ones((S, n, 1), dtype=bool)
    chosen = selected_tokens(run["below"])  # (S, 1, 1, n, T)
    counts = counting_rows(chosen, selected_sets(run["top"]), passed=True)[:, 0]
    rows = tokens.repeat(T, axis=1)  # row q of input i is number iT + q
    return rows, tokens.reshape(S, n * T, d), chosen.reshape(S, n * T), counts.reshape(S, n * T, 1)


def ratio(rows, W, norm, solution):
    """ρ of W (S, L, d, d), (S, L), over the rows that count."""
    tokens, queries, chosen, counts = rows
    return margin_ratio(tokens, queries, W, chosen, norm, solution, counts)


def untrained(rows, norm):
    """The steepest direction, (S, d, d), of the sum of the constraint matrices of the rows that count."""
    tokens, queries, chosen, counts = rows
    winners = np.take_along_axis(tokens, chosen[..., None, None], 2)
    total = ((winners - tokens).sum(2) * counts).swapaxes(1, 2) @ queries
    return np.array([geometry.get(norm).steepest(one) for one in total]).reshape(total.shape)


def table(measures, settings):
    return medians(measures.instances, KEYS, SHARES.__contains__, of_value=middle_half)
