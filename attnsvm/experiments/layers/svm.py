"""The SVM of every layer under each rule that says which rows of softmax count.

top       the top layer: its selection among the tokens that it sees, at margin 1
law       a layer below: margin 1 in the rows that count, margin 0 in the others (`svm.counting_rows`)
read      margin 1 in the rows that count, no constraint in the others
all       margin 1 in all rows
selected  as `law`, but a row does not count for being passed on by the residual alone
shuffled  as `law`, with the counting rows of each input moved to other positions: the control
frobenius  as `law`, in the Frobenius norm, where (K, Q) is trained
"""

import numpy as np

from attnsvm.analysis.selection import selected_sets, selected_tokens
from attnsvm.architecture import counting_rows
from attnsvm.experiments.layers.architectures import VALUES, stack_of
from attnsvm.svm.constraints import separation, sequence
from attnsvm.svm.solution import as_arrays
from attnsvm.svm.solver import solve_batch
from attnsvm.svm.stacks import layer_constraints

KEPT = ("W", "dual")  # of an answer, in addition to its proof
CONTROL_STREAM = 41017  # keeps the control's shuffles apart from what else is drawn with a seed


def svm(problems, trained, settings):
    solved = {}
    for name, run in trained.items():
        architecture = stack_of(name)
        norm = "nuc" if architecture.parametrisation == "KQ" else "fro"
        rules = ["law", "read", "all", "shuffled"]
        rules += ["selected"] * (name == VALUES)
        found = solved[name] = {"top": {str(architecture.layers): answers(tops(problems, run, architecture), norm)}}
        asked = {rule: bounds(problems, run, architecture, rule) for rule in rules}
        for rule, bound in asked.items():
            found[rule] = below(run, architecture, bound, norm)
        if norm != "fro":
            found["frobenius"] = below(run, architecture, asked["law"], "fro")
    return solved


def tops(problems, run, architecture):
    """The problems of the top layer, head by head, (S·H,); equal tokens that win together are one."""
    selected = selected_tokens(run["top"])
    tokens = run["tokens"][:, -1]
    if architecture.attention in ("sequence", "causal"):
        causal = architecture.attention == "causal"
        return [sequence(X, one, causal) for X, heads in zip(tokens, selected, strict=True) for one in heads]
    first = tokens[:, :, 0] if architecture.attention == "self" else problems.queries
    triples = zip(tokens, first, selected, strict=True)
    return [separation(X, z, one[:, 0]) for X, z, heads in triples for one in heads]


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


def answers(constraints, norm):
    return as_arrays(solve_batch(constraints, norm))
