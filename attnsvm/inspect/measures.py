"""One head: what it selects, the certified solutions for its selections, and the same for the null models."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from attnsvm import geometry
from attnsvm.inspect.layers import Inputs, Layer, selections, split
from attnsvm.inspect.nulls import permuted, random_head
from attnsvm.inspect.solving import TIGHT, Problem
from attnsvm.svm.solution import Solution

RANK = 1e-9  # of a head, relative to its largest singular value
MATRIX_NORMS = ("fro", "nuc")


@dataclass(frozen=True)
class Plan:
    """What is computed for every head.

    Attributes:
        norms: "fro", "nuc" or both.
        inputs: the largest number of inputs that are fitted, and that are held out.
        nuclear_inputs: the largest number of inputs that are fitted in the nuclear norm, which takes longer.
        held_out: share of the texts that is held out.
        draws: null models of each kind.
        seed: of the split and of the null models.
    """

    norms: Sequence[str] = MATRIX_NORMS
    inputs: int = 150
    nuclear_inputs: int = 16
    held_out: float = 0.3
    draws: int = 2
    seed: int = 0


class Bench:
    """The inputs of a layer, fitted and held out; the same for all heads, and for all layers of a model."""

    def __init__(self, layer: Layer, plan: Plan):
        self.layer, self.plan = layer, plan
        rng = np.random.default_rng([plan.seed, 2])
        self.fit_rows, self.held_rows = split(layer.inputs, plan.held_out, plan.inputs, rng)
        self.fit, self.held = layer.inputs.take(self.fit_rows), layer.inputs.take(self.held_rows)
        self.few_rows = np.sort(rng.permutation(len(self.fit))[: plan.nuclear_inputs])

    @cached_property
    def whole(self) -> Problem:
        """The problem of all fitted inputs."""
        return Problem(self.fit)

    @cached_property
    def few(self) -> Problem:
        """The problem of the inputs fitted in the nuclear norm."""
        return Problem(self.fit.take(self.few_rows))

    @cached_property
    def plain(self) -> Problem | None:
        """The problem without delimiters to select; None where no input has delimiters, or too few inputs are left."""
        inputs = self.fit.without_delimiters()
        return Problem(inputs) if any(m.any() for m in self.fit.delimiters) and len(inputs) >= 2 else None


def measure(bench: Bench, head: int) -> tuple[dict, dict]:
    """The row of one head in the table, and what its page marks.

    Returns:
        {column: value}, see `columns`; and {"fit": [[selected, support tokens...], ...], "held": [[selected,
        predicted], ...]} in token numbers.
    """
    W, plan, fit, held = bench.layer.heads[head], bench.plan, bench.fit, bench.held
    number = bench.layer.number
    selected, own = selections(fit, W), selections(held, W)
    counts = np.array([len(X) for X in held.tokens])
    sigma = np.linalg.svd(W, compute_uv=False)
    row = {
        "layer": number,
        "head": head,
        "inputs_held_out": len(held),
        "rank_head": int((sigma > RANK * sigma[0]).sum()),
    }
    row |= rule(fit, selected, held, own)
    row["chance"] = _mean(1 / counts)
    row["delimiter_selected"] = _mean([m[a] for m, a in zip(fit.delimiters, selected, strict=True)])
    marks = {"fit": [[int(a)] for a in selected], "held": [[int(a)] for a in own]}
    for norm in plan.norms:
        problem = bench.few if norm == "nuc" else bench.whole
        rng = np.random.default_rng([plan.seed, 3, MATRIX_NORMS.index(norm), number, head])
        measured, solution = _beside_nulls(norm, problem, held, W, plan.draws, rng)
        if norm == "fro":
            if solution.solved and bench.plain is not None:
                measured |= _delimiters(problem, selected, solution, bench.plain, W, plan.draws, rng)
            if solution.solved:
                _mark(marks, fit, selected, held, solution.W)
        row |= {f"{name}_{norm}": value for name, value in measured.items()}
    return row, marks


def _beside_nulls(norm, problem, held, W, draws, rng) -> tuple[dict, Solution]:
    """Margin, alignment and held-out prediction in one norm, of the head and of both null models."""
    inputs = problem.inputs
    selected, own = selections(inputs, W), selections(held, W)
    c, solution = problem.constraints(selected), problem.certified(selected, norm)
    size = geometry.get(norm).value
    row = {"inputs": len(inputs), "constraints": len(c), "status": str(solution.status)}
    if not solution.solved:
        return row, solution
    counts = np.array([len(X) for X in inputs.tokens])
    row |= {"gap": solution.gap, "margin": 1 / float(size(solution.W))}
    row["margin_ratio"] = float(c.apply(problem.lower(W)).min()) / float(size(W)) / row["margin"]
    row["support"] = int((c.apply(problem.lower(solution.W)) < 1 + TIGHT).sum())
    row["rank"] = solution.rank
    if norm == "nuc":
        row["rank_bound"] = solution.rank_bound
    (row["alignment"],) = problem.cosines(W, [solution.W])
    row["predicted"] = _agreement(solution.W, held, own)
    nulls = {"random": {"alignment": [], "predicted": [], "margin": []}, "permuted": {"alignment": [], "predicted": []}}
    for _ in range(draws):
        R = random_head(W, rng)
        other = problem.certified(selections(inputs, R), norm)
        if other.solved:
            nulls["random"]["alignment"] += problem.cosines(R, [other.W])
            nulls["random"]["predicted"].append(_agreement(other.W, held, selections(held, R)))
            nulls["random"]["margin"].append(1 / float(size(other.W)))
        other = problem.certified(permuted(selected, counts, rng), norm)
        if other.solved:
            nulls["permuted"]["alignment"] += problem.cosines(W, [other.W])
            nulls["permuted"]["predicted"].append(_agreement(other.W, held, own))
    for kind, quantities in nulls.items():
        for name, values in quantities.items():
            row[f"{name}_{kind}"] = _mean(values)
        row[f"alignment_{kind}_most"] = max(nulls[kind]["alignment"], default=float("nan"))
        row[f"separable_{kind}"] = len(nulls[kind]["alignment"])
    return row, solution


def _delimiters(problem, selected, solution, plain, W, draws, rng) -> dict:
    """The part of delimiters in the multipliers, and the margin once they cannot be selected.

    The multipliers add up to ‖W_mm‖, one over the margin. The part counts constraints that a delimiter wins or loses.
    """
    marks = problem.inputs.delimiters
    i, alpha, t = problem.constraints(selected).index.T
    flat, first = np.concatenate(marks), np.cumsum([0, *map(len, marks)])[i]
    involved = flat[first + alpha] | flat[first + t]
    row = {"delimiter_share": float(solution.dual[involved].sum() / solution.dual.sum())}
    heads = [W, *(random_head(W, rng) for _ in range(draws))]
    solutions = [plain.certified(selections(plain.inputs, A), "fro") for A in heads]
    margins = [1 / np.linalg.norm(s.W) if s.solved else float("nan") for s in solutions]
    return row | {"margin_plain": margins[0], "margin_plain_random": _mean([m for m in margins[1:] if m == m])}


def _mark(marks, fit, selected, held, W):
    """Add support tokens to fitted inputs and predictions to those held out."""
    for mark, X, z, a in zip(marks["fit"], fit.tokens, fit.queries, selected, strict=True):
        margin = X[a] @ W @ z - X @ (W @ z)
        mark += [int(t) for t in np.flatnonzero(margin <= 1 + TIGHT) if t != a]
    for mark, token in zip(marks["held"], selections(held, W), strict=True):
        mark.append(int(token))


RULES = ("first", "last", "itself", "before", "after")


def rule(fit: Inputs, selected: np.ndarray, held: Inputs, own: np.ndarray) -> dict:
    """The best rule that reads no token, and how often it is right on held-out inputs: an SVM has to be better.

    Args:
        selected, own: the tokens that the head selects in `fit` and in `held`, (n,) int each.

    Returns:
        {"rule": one of `RULES`, "rule_predicted": share}.
    """
    right = {name: float(np.mean(_by_rule(name, fit) == selected)) for name in RULES}
    best = max(right, key=right.get)
    return {"rule": best, "rule_predicted": float(np.mean(_by_rule(best, held) == own)) if len(held) else float("nan")}


def _by_rule(rule: str, inputs: Inputs) -> np.ndarray:
    """The token number that a rule names per input; −1 where it names none."""
    counts = np.array([len(X) for X in inputs.tokens], dtype=int)
    if rule in ("first", "last"):
        return np.zeros_like(counts) if rule == "first" else counts - 1
    named = inputs.position + {"itself": 0, "before": -1, "after": 1}[rule]
    return np.where((inputs.position >= 0) & (named >= 0) & (named < counts), named, -1)


def _agreement(W, inputs: Inputs, selected) -> float:
    return float(np.mean(selections(inputs, W) == selected)) if len(inputs) else float("nan")


def _mean(values) -> float:
    return float(np.mean(values)) if len(values) else float("nan")
