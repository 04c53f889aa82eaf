"""The SVM of every layer under each rule that says which rows of softmax count.

On the tokens as they are after the last step:

top       the top layer: its selection among the tokens that it sees, at margin 1
law       a layer below: margin 1 in the rows that count, margin 0 in the others (`svm.counting_rows`)
read      margin 1 in the rows that count, no constraint in the others
all       margin 1 in all rows
selected  as `law`, but a row does not count for being passed on by the residual alone
shuffled  as `law`, with the counting rows of each input moved to other positions: the control
frobenius  as `law`, in the Frobenius norm, where (K, Q) is trained

Every layer, on the tokens that rows go to; copies are no boundary:

stated     `top` and `law`, where each row goes to its winner
corrected  the same, where a row may keep a mixture, or be held against its gradient: equal logits of its level tokens
predicted  `corrected` as found at an early step
quarter    `corrected` as found after a quarter of the steps
graded     below the top, with steps of different lengths: margins max(0, 1 − C/ρ)
swapped    below the top, a control: a row that counts and one that is held exchange their margins in one input
"""

import numpy as np

from attnsvm.analysis.ends import least_margins
from attnsvm.analysis.selection import selected_sets, selected_tokens
from attnsvm.data.architecture import counting_rows
from attnsvm.experiments.beyond.layers.architectures import PLANTED, RATES, VALUES, plain, stack_of, trained_on
from attnsvm.experiments.beyond.layers.ends import QUARTER, corrected, early_place, rows_at, stated
from attnsvm.svm.instances import answers
from attnsvm.svm.law import constraints_below, graded_bounds, layer_problems, top_constraints
from attnsvm.svm.stacks import layer_constraints

KEPT = ("W", "dual")  # of an answer, in addition to its proof
CONTROL_STREAM = 41017  # keeps the control's shuffles apart from what else is drawn with a seed


def svm(problems, trained, settings):
    solved = {}
    for name, run in trained.items():
        if name == PLANTED:
            continue
        architecture, seen = stack_of(name), trained_on(name, problems)
        norm = "nuc" if architecture.parametrisation == "KQ" else "fro"
        rules = ["law", "read", "all", "shuffled"]
        rules += ["selected"] * (name == VALUES)
        found = solved[name] = {"top": {str(architecture.layers): answers(tops(seen, run, architecture), norm)}}
        bound_of = {rule: bounds(seen, run, architecture, rule) for rule in rules}
        for rule, bound in bound_of.items():
            found[rule] = below(run, architecture, bound, norm)
        if norm != "fro":
            found["frobenius"] = below(run, architecture, bound_of["law"], "fro")
        ends = {"stated": stated(seen, run, architecture), "corrected": corrected(seen, run, architecture)}
        for rule, end in ends.items():
            several = (seen, architecture, end)
            found[rule] = with_multipliers(*several) if name == plain(2) else every_layer(*several, norm)
        if name == plain(2):
            found |= predictions(seen, run, architecture)
            found["swapped"] = {"1": swapped(architecture, ends["corrected"], found["corrected"]["1"])}
        if name in RATES:
            found["graded"] = {
                "1": with_rates(seen, run, architecture, ends["corrected"], found["corrected"]["2"]["W"])
            }
    return solved


def tops(problems, run, architecture):
    """The problems of the top layer on the tokens as they are, head by head, (S·H,)."""
    return top_constraints(architecture, run["tokens"][:, -1], problems.queries, selected_tokens(run["top"]))


def every_layer(problems, architecture, ends, norm="fro"):
    """The answers of every layer on the tokens of `ends`, {layer: stacked}."""
    each = layer_problems(architecture, ends, problems.queries)
    return {str(layer): answers(constraints, norm) for layer, constraints in each.items()}


def with_multipliers(problems, architecture, ends):
    """`every_layer`, and the multipliers at their tokens, "multipliers" (S·H, rows, T) of each layer."""
    each = layer_problems(architecture, ends, problems.queries)
    found = {layer: (constraints, answers(constraints, "fro")) for layer, constraints in each.items()}
    T = ends.rows.tokens.shape[3]
    return {str(layer): answer | {"multipliers": placed(c, answer, T)} for layer, (c, answer) in found.items()}


def predictions(problems, run, architecture):
    """The problems as found at two earlier steps."""
    early = {"predicted": early_place(run["steps"]), "quarter": early_place(run["steps"], QUARTER)}
    return {
        rule: every_layer(problems, architecture, corrected(problems, run, architecture, place))
        for rule, place in early.items()
    }


def swapped(architecture, ends, answer):
    """In the input with the largest multiplier of a row that does not count, that row and the counting row exchange
    their margins; an instance without one keeps its problem."""
    counts = ends.counts[:, 0]
    S, n, T = counts.shape
    force = np.where(counts[..., None], 0.0, np.abs(answer["multipliers"].reshape(S, n, T, T))).max(-1)
    bound, level = counts.astype(float), ends.level.copy()
    for s, place in enumerate(force.reshape(S, n * T).argmax(1)):
        i, q = divmod(int(place), T)
        if force[s, i, q] > 0:
            bound[s, i] = np.arange(T) == q
            level[s, 0, :, i, q] = False
    return answers(constraints_below(architecture, ends._replace(level=level), 1, bound), "fro")


def with_rates(problems, run, architecture, ends, top):
    """The bottom of two layers whose steps differ in length."""
    length = np.linalg.norm(run["weights"][:, -1, 1, 0], axis=(-2, -1))
    rate = least_margins(rows_at(problems, run, architecture, -1), ends)[:, 0]
    bound = graded_bounds(ends, problems.queries, top, length, rate)
    free = ends._replace(level=ends.level & (bound == 0.0)[:, None, None, ..., None])
    return answers(constraints_below(architecture, free, 1, bound), "fro")


def bounds(problems, run, architecture, rule):
    """The margin that `rule` asks of every row below the top, (S, L − 1, n, T); infinite: no constraint."""
    chosen = selected_tokens(run["below"])
    passed = architecture.residual and rule != "selected"
    counts = counting_rows(chosen, selected_sets(run["top"]), passed)
    if rule == "all":
        return np.ones(counts.shape)
    if rule == "shuffled":
        counts = shuffled(counts, problems.seeds)
    return np.where(counts, 1.0, np.inf if rule == "read" else 0.0)


def shuffled(counts, seeds):
    """The same number of rows per layer and input, at random positions."""
    moved = np.empty_like(counts)
    for s, seed in enumerate(seeds.tolist()):
        generator = np.random.default_rng([CONTROL_STREAM, seed])
        moved[s] = generator.permuted(counts[s], axis=-1)
    return moved


def below(run, architecture, bound, norm):
    """The answers of every layer below the top, {layer: stacked}."""
    chosen, tokens = selected_tokens(run["below"]), run["tokens"]
    found = {}
    for layer in range(architecture.layers - 1):
        each = [
            layer_constraints(tokens[s, layer], one, bound[s, layer], architecture.causal)
            for s in range(len(tokens))
            for one in chosen[s, layer]
        ]
        found[str(layer + 1)] = answers(each, norm)
    return found


def placed(constraints, answer, T):
    """The multipliers of each problem at their tokens, (S·H, rows, T)."""
    found = np.zeros((len(constraints), len(constraints[0].factors.queries), T))
    for one, dual, place in zip(constraints, answer["dual"], found, strict=True):
        place[one.index[:, 0], one.index[:, 2]] = dual[: len(one)]
    return found
