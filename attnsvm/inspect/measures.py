"""One head: what it selects, the certified solutions for its selections, and the same for the null models."""

import copy
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import logsumexp
from scipy.stats import binomtest

from attnsvm import geometry
from attnsvm.analysis.statistics import median_interval, sample_interval, wilson
from attnsvm.inspect.layers import Inputs, Layer, logits, selections, split
from attnsvm.inspect.lifted import Head, LiftedProblem, LiftedSolution
from attnsvm.inspect.nulls import mismatched, permuted, permuted_distances, random_head, rotated
from attnsvm.inspect.solving import TIGHT, Problem
from attnsvm.svm.solution import Solution

RANK = 1e-9  # of a head, relative to its largest singular value
MATRIX_NORMS = ("fro", "nuc")
LONGER = 4  # times as long as the median of the shorter third: what counts as long

Measured = tuple[dict, dict]  # of a head: its row in the table, and what its page marks


@dataclass(frozen=True)
class Plan:
    """What is computed for every head.

    Attributes:
        norms: "fro", "nuc" or both; None: those that the heads have, see `offered`.
        inputs: the largest number of inputs that are fitted, and that are held out.
        nuclear_inputs: the largest number of inputs that are fitted in the nuclear norm, which takes longer.
        held_out: share of the texts that is held out.
        draws: null models of each kind.
        seed: of the split and of the null models.
        model: the whole model, a `Whole`, which has a loss; or why that is not measured.
    """

    norms: Sequence[str] | None = MATRIX_NORMS
    inputs: int = 150
    nuclear_inputs: int = 16
    held_out: float = 0.3
    draws: int = 2
    seed: int = 0
    model: Any = field(default="", kw_only=True)


class Bench:
    """The inputs of a layer, fitted and held out; the same for all heads, and for all layers of a model."""

    def __init__(self, layer: Layer, plan: Plan):
        self.layer, self.plan = layer, plan
        rng = np.random.default_rng([plan.seed, 2])
        self.fit_rows, self.held_rows = split(layer.inputs, plan.held_out, plan.inputs, rng)
        self.fit, self.held = layer.inputs.take(self.fit_rows), layer.inputs.take(self.held_rows)
        self.few_rows = np.sort(rng.permutation(len(self.fit))[: plan.nuclear_inputs])

    @property
    def lifted(self) -> bool:
        """Whether logits depend on distance."""
        return bool(self.layer.every)

    @cached_property
    def whole(self) -> Problem | LiftedProblem:
        """The problem of all fitted inputs."""
        return LiftedProblem(self.fit, self.layer.every[0].way) if self.lifted else Problem(self.fit)

    @cached_property
    def few(self) -> Problem:
        """The problem of the inputs fitted in the nuclear norm."""
        return Problem(self.fit.take(self.few_rows))

    @cached_property
    def _turned(self) -> LiftedProblem:
        rng, fit = np.random.default_rng([self.plan.seed, 4]), self.fit
        tokens = np.split(rotated(fit.flat, rng), np.cumsum(fit.counts)[:-1])
        turned = replace(fit, tokens=tokens, queries=rotated(fit.queries, rng))
        found = LiftedProblem(turned, self.whole.way, copy.copy(self.whole.kernel))  # no rotation changes its products
        found.kernel.features = found.features_of(turned)
        return found

    def turned(self, A) -> list:
        """A certified W turned at random, tokens and queries each by one rotation, once for each draw.

        A lifted one, whose kernel with other inputs is costly, once.
        """
        if self.lifted:
            return [replace(A, problem=self._turned)] * min(self.plan.draws, 1)
        rng = np.random.default_rng([self.plan.seed, 4])
        return [rotated(rotated(A, rng).T, rng).T for _ in range(self.plan.draws)]


def shown(bench: Bench) -> dict:
    """What the page shows of inputs, fitted and held out: words, places, delimiters; and how many repeat others."""
    of = bench.layer.inputs
    return {
        "repeats": of.repeats,
        "without_loss": bench.plan.model if isinstance(bench.plan.model, str) else "",
        "fit": [_input(of, i) for i in bench.fit_rows],
        "held": [_input(of, i) for i in bench.held_rows],
    }


def _input(inputs: Inputs, i: int) -> dict:
    """Words, where the query stands (−1: not among them), the numbers of delimiters, and that of the first token."""
    words = inputs.words[i] if inputs.words else [str(t) for t in range(len(inputs.tokens[i]))]
    start = int(inputs.start[i])
    marked = (start + np.flatnonzero(inputs.delimiters[i])).tolist()
    asks = start + int(inputs.position[i]) if inputs.position[i] >= 0 else -1
    return {"text": int(inputs.text[i]), "words": words, "query": asks, "delimiters": marked, "first": start}


def offered(plan: Plan, layer: Layer) -> Plan:
    """The plan with the norms asked for, or else with those that the heads of this layer have."""
    return replace(plan, norms=plan.norms or (MATRIX_NORMS[:1] if layer.every else MATRIX_NORMS))


def measured(layers: Iterable[Layer], plan: Plan) -> Iterator[Measured]:
    """Head by head."""
    for layer in layers:
        bench = Bench(layer, plan)
        yield from (measure(bench, head) for head in layer.heads)


def measure(bench: Bench, head: int) -> Measured:
    """The row of one head in the table, and what its page marks.

    Returns:
        {column: value}, see `columns`; and {"fit": [[selected, support tokens...], ...], "held": [[selected,
        predicted], ...]} in token numbers.
    """
    W, plan, fit, held = bench.layer.heads[head], bench.plan, bench.fit, bench.held
    number = bench.layer.number
    selected, own = selections(fit, W), selections(held, W)
    counts = np.array([len(X) for X in held.tokens])
    sigma = np.linalg.svd(W.reduced() if isinstance(W, Head) else W, compute_uv=False)
    row = {
        "layer": number,
        "head": head,
        "theory": bench.layer.theory,
        "inputs_held_out": len(held),
        "texts_held_out": len({*held.text.tolist()}),
        **dict.fromkeys(JUDGED, 0),
        "rank_head": int((sigma > RANK * sigma[0]).sum()),
    }
    rules = distances(fit) if bench.lifted else RULES
    row |= rule(fit, selected, held, own, rules)
    row["does"] = does(bench.layer.inputs, np.concatenate([bench.fit_rows, bench.held_rows]), [*selected, *own], rules)
    if bench.layer.theory != "selections":
        every = [np.exp(one.max() - logsumexp(one)) for one in (*logits(fit, W), *logits(held, W))]
        row["does"] += f"; its weight is {np.median(every):.2f} in the median"
    row["chance"] = _mean(1 / counts)
    row["delimiter_selected"] = _mean([m[a] for m, a in zip(fit.delimiters, selected, strict=True)])
    row |= predicted_and_measured(logits(fit, W))
    marks = {"fit": [[int(a)] for a in selected], "held": [[int(a)] for a in own]}
    marks["weights"] = [[] if bench.layer.theory == "selections" else weights(one, W) for one in (fit, held)]
    for norm in plan.norms or ():
        problem = bench.few if norm == "nuc" else bench.whole
        rng = np.random.default_rng([plan.seed, 3, MATRIX_NORMS.index(norm), number, head])
        named = _by_rule(row["rule"], held) == own
        measured, solution = _beside_nulls(norm, problem, held, W, bench.layer.every, named, plan.draws, rng)
        row |= {name: row[name] + measured.pop(name, 0) for name in JUDGED}
        if norm == "fro":
            if solution.solved and bench.layer.theory == "exact" and len(held):
                measured |= direction(bench, head, solution)
            if solution.solved:  # the support tokens of fitted inputs, and what is predicted of those held out
                for mark, one, a in zip(marks["fit"], logits(fit, solution.W), selected, strict=True):
                    mark += [t for t in np.flatnonzero(one[a] - one <= 1 + TIGHT).tolist() if t != a]
                for mark, token in zip(marks["held"], selections(held, solution.W).tolist(), strict=True):
                    mark.append(token)
        row |= {f"{name}_{norm}": value for name, value in measured.items()}
    for side, inputs in (("fit", fit), ("held", held)):  # a window cuts the first tokens of a text
        marks[side] = [[t + int(k) for t in mark] for mark, k in zip(marks[side], inputs.start, strict=True)]
    return row, marks


def _beside_nulls(norm, problem, held, W, every, named, draws, rng) -> tuple[dict, Solution | LiftedSolution]:
    """Margin, alignment and held-out prediction in one norm, of the head and of its null models.

    Args:
        every: the heads of the layer where they are lifted; two null models more are made of them.
        named: of each held-out input, whether the best rule names the token that the head selects.
    """
    inputs, plain = problem.inputs, problem
    problem = plain.seen_by(W)
    selected, own = selections(inputs, W), selections(held, W)
    solution = problem.certified(selected, norm, _near(W, inputs))
    row = {"inputs": len(inputs), "constraints": int((inputs.counts - 1).sum()), "status": str(solution.status)}
    if not solution.solved:
        return row, solution
    row |= {"gap": solution.gap, "margin": 1 / _size(norm, solution.W)}
    least, size = float(problem.margins(W, selected).min()), _size(norm, W)
    row["margin_ratio"] = least / size / row["margin"] if size > 0 else float("nan")
    row["support"] = int((problem.margins(solution.W, selected) < 1 + TIGHT).sum())
    row["rank"] = solution.rank
    if norm == "nuc":
        row["rank_bound"] = solution.rank_bound
    (row["alignment"],) = problem.cosines(W, [solution.W])
    right = selections(held, solution.W) == own
    row["predicted"] = _mean(right)
    nulls: dict[str, dict] = {kind: {"alignment": [], "predicted": []} for kind in (LIFTED_NULLS if every else NULLS)}
    nulls["random"]["margin"] = []

    def of_a_head(kind, R):
        seen = plain.seen_by(R)
        other = seen.certified(selections(inputs, R), norm, _near(R, inputs))
        if other.solved:
            nulls[kind]["alignment"] += seen.cosines(R, [other.W])
            nulls[kind]["predicted"].append(selections(held, other.W) == selections(held, R))
            if kind == "random":
                nulls[kind]["margin"].append(1 / _size(norm, other.W))

    def of_selections(kind, others):
        other = problem.certified(others, norm)
        if other.solved:
            nulls[kind]["alignment"] += problem.cosines(W, [other.W])
            nulls[kind]["predicted"].append(selections(held, other.W) == own)

    for _ in range(draws):
        of_a_head("random", random_head(W, rng))
        of_selections("permuted", permuted(selected, inputs.counts, rng))
        if every:
            of_selections("distances", permuted_distances(selected, inputs.position, inputs.counts, rng))
            other = mismatched(W, every, rng)
            if other is not None:
                of_a_head("mismatched", other)
    beside = [np.mean(one["predicted"], 0) for one in nulls.values() if one["predicted"]]
    judged = [better(right, one, held.text) for one in (named, *beside)] if len(held) else []
    row |= dict(zip(JUDGED, (judged.count(1), judged.count(0), len(judged)), strict=True))
    for kind, quantities in nulls.items():
        for name, values in quantities.items():
            row[f"{name}_{kind}"] = _mean([_mean(one) for one in values] if name == "predicted" else values)
        row[f"separable_{kind}"] = len(nulls[kind]["alignment"])
    return row, solution


def better(right: np.ndarray, other: np.ndarray, text: np.ndarray) -> int:
    """1 where predictions are better than others beyond chance, −1 where they are worse, 0 where it is not decided.

    Of the texts that tell the two apart, the share in which the first are better has an exact interval of 95 %.

    Args:
        right, other: (n,) how right each is of each query, from 0 to 1.
        text: (n,) its text: queries of one text count once.
    """
    apart = np.sign(np.round(np.bincount(text, 1.0 * right - other), 9))
    if not apart.any():
        return 0
    found = binomtest(int((apart > 0).sum()), int(np.abs(apart).sum())).proportion_ci()
    return int(found.low > 0.5) - int(found.high < 0.5)


def direction(bench: Bench, head: int, solution) -> dict[str, float]:
    """What becomes of held-out selections, and of the model's loss, once the direction of a certified W is taken away.

    The controls take away the same W turned at random, with the same factor: of the same norm and singular values.

    Args:
        solution: a solved one, of the fitted inputs.

    Returns:
        By column, see `columns`.
    """
    A, W, held = solution.W, bench.layer.heads[head], bench.held
    before, own = logits(held, W), selections(held, W)
    if isinstance(A, np.ndarray):
        part = float((W * A).sum() / (A * A).sum())
    else:
        part = float(A.nu @ W.logits(bench.fit)) / A.size() ** 2

    def changed(B):
        after = [one - part * other for one, other in zip(before, logits(held, B), strict=True)]
        return sum(int(one.argmax()) != a for one, a in zip(after, own, strict=True))

    def rises(B):
        return bench.plan.model.rises(bench.layer.number, head, sorted({*held.text.tolist()}), part, B)

    turned = bench.turned(A)
    found = dict(zip(("changed", "changed_low", "changed_high"), wilson(changed(A), len(own)), strict=True))
    found["changed_random"] = _mean([changed(B) / len(own) for B in turned])
    if not isinstance(bench.plan.model, str):
        ends = ("loss_added", "loss_added_low", "loss_added_high")
        found |= dict(zip(ends, map(float, sample_interval(rises(A))), strict=True))
        found["loss_added_random"] = _mean([rises(B).mean() for B in turned])
    return found


def _size(norm: str, W) -> float:
    return float(geometry.get(norm).value(W)) if isinstance(W, np.ndarray) else W.size()


def _near(W, inputs: Inputs) -> np.ndarray | None:
    """The logits with which a lifted problem starts."""
    return W.logits(inputs) if isinstance(W, Head) else None


JUDGED = ("beats", "undecided", "controls")
NULLS = ("random", "permuted")
LIFTED_NULLS = (*NULLS, "distances", "mismatched")
RULES = ("first", "last", "itself", "before", "after")
TOLD = {"first": "the first token", "last": "the last token", "itself": "itself", "before": "the token before",
        "after": "the next token"}  # fmt: skip
WORDS, MOST, LEAST = 3, 3, 0.1  # frequent words that may be a kind of token; kinds that are told; share of each of them
SHOWN = 12  # inputs of each side whose weights the page shows


def distances(inputs: Inputs) -> tuple[str, ...]:
    """The rules, and every fixed distance between query and token beyond one."""
    far = np.concatenate([np.abs(near) for near in inputs.distances])
    sides = ("before",) if (inputs.position == inputs.counts - 1).all() else ("before", "after")
    return (*RULES, *(f"{k} {side}" for k in range(2, int(far.max()) + 1) for side in sides))


def rule(
    fit: Inputs, selected: np.ndarray, held: Inputs, own: np.ndarray, rules: Sequence[str] = RULES
) -> dict[str, str | float]:
    """The best rule that reads no token, and how often it is right on held-out inputs: an SVM has to be better.

    Args:
        selected, own: the tokens that the head selects in `fit` and in `held`, (n,) int each.
        rules: `RULES`, or `distances`.

    Returns:
        {"rule": one of the rules, "rule_predicted": share}.
    """
    right = {name: float(np.mean(_by_rule(name, fit) == selected)) for name in rules}
    best = max(rules, key=right.__getitem__)
    return {"rule": best, "rule_predicted": float(np.mean(_by_rule(best, held) == own)) if len(held) else float("nan")}


def does(inputs: Inputs, rows: np.ndarray, selected: Sequence[int], rules: Sequence[str] = RULES) -> str:
    """What a head does in most of these inputs, in words: which tokens it selects, the most frequent kind first.

    Args:
        rows: the numbers of the inputs; selected: (n,) the tokens that it selects in them.
        rules: as of `rule`.
    """
    some, chosen = inputs.take(rows), np.array(selected)
    kinds = {}
    if some.words:
        words, asks = (
            np.array([each[k].strip() or each[k] for each, k in zip(some.words, some.start + places, strict=True)])
            for places in (chosen, some.position)
        )
        kinds = {f"“{word}”": words == word for word, _ in Counter(words.tolist()).most_common(WORDS)}
        kinds["its own word elsewhere"] = (words == asks) & (chosen != some.position) & (some.position >= 0)
    for name in sorted(rules, key="itself".__ne__):  # the last token of a decoder's query is itself
        kinds[TOLD.get(name, f"the token {name.replace(' ', ' places ')}")] = _by_rule(name, some) == chosen
    found, left = [], np.ones(len(rows), dtype=bool)
    while len(found) < MOST:
        name = max(kinds, key=lambda kind: (kinds[kind] & left).sum())
        share = (kinds[name] & left).mean()
        if share < LEAST and found:
            break
        found.append(f"{name} in {100 * share:.0f} %")
        left &= ~kinds[name]
    found += [f"another one in {100 * left.mean():.0f} %"] * bool(left.mean() >= 0.005)
    return ", else ".join(found)


def weights(inputs: Inputs, W) -> list[list[int]]:
    """The weights of attention of the first inputs in percent, one for each of their tokens; a sink takes none."""
    first = inputs.take(range(min(SHOWN, len(inputs))))
    return [np.rint(100 * np.exp(one - logsumexp(one))).astype(int).tolist() for one in logits(first, W)]


def _by_rule(rule: str, inputs: Inputs) -> np.ndarray:
    """The token number that a rule names per input; −1 where it names none."""
    counts = inputs.counts
    if rule in ("first", "last"):
        return np.zeros_like(counts) if rule == "first" else counts - 1
    far, _, side = rule.rpartition(" ")
    named = inputs.position + {"itself": 0, "before": -1, "after": 1}[side] * int(far or 1)
    return np.where((inputs.position >= 0) & (named >= 0) & (named < counts), named, -1)


def _mean(values) -> float:
    return float(np.mean(values)) if len(values) else float("nan")


def half_length(logits: np.ndarray) -> float:
    """The length at which the token that is selected would have half of the weight, given the logits (T,) of one input.

    With its weight p among T tokens: 1 + (T − 1)p/(1 − p), were other tokens to stay what they are on the average, and
    more to come; infinite where they have no weight, or there are none.
    """
    behind = np.delete(logits.max() - logits, logits.argmax())
    others = np.exp(-behind).sum()
    return float(1.0 + len(behind) / others) if others > 0 else float("inf")


def predicted_and_measured(logits: Sequence[np.ndarray]) -> dict[str, float]:
    """The median over the shorter third of the inputs, and over those at least four times as long, with intervals.

    Args:
        logits: (T_i,) for every input.

    Returns:
        By column, see `columns`; NaN where no input is as long.
    """
    counts, found = np.array([len(one) for one in logits]), np.array([half_length(one) for one in logits])
    short = counts <= np.quantile(counts, 1 / 3)
    long = counts >= LONGER * np.median(counts[short])
    row = {}
    for name, some in (("predicted", short), ("measured", long)):
        estimate = median_interval(found[some]) if some.any() else (float("nan"),) * 3
        ends = (f"half_length_{name}", f"half_length_{name}_low", f"half_length_{name}_high")
        row |= dict(zip(ends, map(float, estimate), strict=True))
    return row
