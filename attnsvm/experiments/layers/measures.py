"""How far every layer is from its SVM under each rule, and the ratio of norms, along training."""

import numpy as np
import pandas as pd

from attnsvm.analysis.directions import correlation
from attnsvm.analysis.measured import Measures, curves, outcomes
from attnsvm.analysis.selection import SUPPORT_TOLERANCE, by_token, selected_sets, selected_tokens
from attnsvm.analysis.statistics import median_interval, wilson
from attnsvm.architecture import counting_rows
from attnsvm.experiments.layers.architectures import NO_RESIDUAL, plain, stack_of

SATURATED = 0.99  # least largest probability in every row of the top
EQUAL = 1e-9  # distance of two composed tokens, relative to the longest of an instance, up to which they are one
KEYS = ["architecture", "layer", "quantity", "step"]
MEASURED = "measured"


def measures(cell, problems, trained, solved, settings):
    frames, ends = [], []
    for name, run in trained.items():
        architecture, answers = stack_of(name), solved[name]
        became = outcome(run, answers)
        words = pd.Series(became).where(pd.Series(became) == MEASURED, pd.Series(became) + f" ({name})")
        ends.append(outcomes(cell, problems.seeds, words.to_numpy()))
        frames.append(at_the_end(problems.seeds, name, run, became))
        # Without the residual no top is separable: the layers below are measured all the same.
        kept = np.isin(became, (MEASURED, "equal tokens")) if name == NO_RESIDUAL else became == MEASURED
        for rule, layers in answers.items():
            for layer, answer in layers.items():
                if rule == "top" and name == NO_RESIDUAL:
                    continue
                columns = {"architecture": name, "layer": int(layer), "quantity": rule}
                value, good = distance(run, architecture, int(layer), answer), kept & certain(answer, len(kept))
                frames.append(curves(problems.seeds[good], run["steps"], {"value": value[good]}, **columns))
        if architecture.layers > 1 and name != NO_RESIDUAL:
            frames += ratios(problems.seeds, name, run, architecture, answers, kept)
        if name == plain(2):
            frames += held(problems, name, run, answers["law"]["1"], kept)
    return Measures(pd.concat(frames), pd.concat(ends))


def certain(answer, count):
    """Which of `count` instances have every head certified."""
    return (answer["status"].reshape(count, -1) == "solved").all(1)


def outcome(run, answers):
    """What became of each run, in one word."""
    top, distinct = next(iter(answers["top"].values())), distinct_tokens(run)
    S = len(distinct)
    refuted = (top["status"].reshape(S, -1) == "infeasible").any(1)
    good = np.logical_and.reduce(
        [certain(answer, S) for rule in ("top", "law") for answer in answers.get(rule, {}).values()]
    )
    unproved = np.logical_or.reduce(
        [
            (answer["status"].reshape(S, -1) == "uncertified").any(1)
            for rule in ("top", "law")
            for answer in answers.get(rule, {}).values()
        ]
    )
    saturated = run["top"].max(-1).min((1, 2, 3)) >= SATURATED
    words = np.where(good & saturated, MEASURED, "not saturated")
    words = np.where(~good, np.where(unproved, "uncertified", "not separable"), words)
    return np.where(refuted & ~distinct, "equal tokens", words)


def distinct_tokens(run):
    """Whether the token that each row of the top selects differs from the others that the top sees, (S,) bool."""
    tokens, chosen = run["tokens"][:, -1], selected_tokens(run["top"])  # (S, n, T, d), (S, H, n, R)
    lengths = np.linalg.norm(tokens, axis=-1).max((1, 2))
    S, n, T = tokens.shape[:3]
    distinct = np.ones(S, dtype=bool)
    for places in np.moveaxis(chosen, (1, 3), (0, 1)).reshape(-1, S, n):
        own = np.take_along_axis(tokens, places[..., None, None], 2)
        apart = np.linalg.norm(tokens - own, axis=-1) > EQUAL * lengths[:, None, None]
        distinct &= (apart | (np.arange(T) == places[..., None])).all((1, 2))
    return distinct


def distance(run, architecture, layer, answer):
    """1 − correlation of a layer with its SVM, mean over its heads, (S, K)."""
    W = run["weights"][:, :, layer - 1]
    solution = answer["W"].reshape(len(W), 1, architecture.heads, *W.shape[-2:])
    return 1.0 - correlation(W, solution).mean(-1)


def ratios(seeds, name, run, architecture, answers, kept):
    """log(‖W_l‖/‖W_l^mm‖) less that of the top, first heads."""
    lengths = []
    for layer in range(1, architecture.layers + 1):
        answer = answers["top" if layer == architecture.layers else "law"][str(layer)]
        solution = answer["W"].reshape(len(seeds), architecture.heads, *answer["W"].shape[-2:])[:, 0]
        order = "nuc" if architecture.parametrisation == "KQ" else "fro"
        long = np.linalg.norm(run["weights"][:, :, layer - 1, 0], order, axis=(-2, -1))
        lengths.append(np.log(long / np.linalg.norm(solution, order, axis=(-2, -1))[:, None]))
    columns = {"architecture": name, "quantity": "ratio"}
    return [
        curves(seeds[kept], run["steps"], {"value": (length - lengths[-1])[kept]}, layer=layer, **columns)
        for layer, length in enumerate(lengths[:-1], 1)
    ]


def held(problems, name, run, answer, kept):
    """The margins of the bottom layer's rows that do not count but have a multiplier, mean per instance.

    Once as they are, once relative to the least margin of the rows that count. NaN for an instance without these rows.
    """
    tokens, chosen = problems.tokens, selected_tokens(run["below"])[:, 0, 0]
    S, n, T = chosen.shape
    counts = counting_rows(chosen[:, None, None], selected_sets(run["top"]), passed=True)[:, 0]
    dual = by_token(answer["dual"], chosen.reshape(S, n * T), T).reshape(S, n, T, T)
    rows = (dual.max(-1) > SUPPORT_TOLERANCE * dual.max((1, 2, 3))[:, None, None]) & ~counts
    kept = kept & rows.any((1, 2))
    values = np.full((2, S, len(run["steps"])), np.nan)
    for s in np.flatnonzero(kept):
        logits = np.einsum("itd,kde,iqe->kiqt", tokens[s], run["weights"][s, :, 0, 0], tokens[s])
        winner = np.take_along_axis(logits, chosen[s][None, ..., None], 3)
        margin = np.where(np.arange(T) == chosen[s][..., None], np.inf, winner - logits).min(-1)
        values[0, s] = margin[:, rows[s]].mean(1)
        values[1, s] = values[0, s] / margin[:, counts[s]].min(1)
    columns = {"architecture": name, "layer": 1}
    return [
        curves(problems.seeds[kept], run["steps"], {"value": value[kept]}, quantity=quantity, **columns)
        for quantity, value in zip(("held margin", "held share"), values, strict=True)
    ]


def at_the_end(seeds, name, run, became):
    """Whether a run could be measured, and whether the top sees equal tokens: 0 or 1 each, after the last step."""
    answers = {"share measured": became == MEASURED, "share of equal tokens": became == "equal tokens"}
    frames = [
        curves(seeds, run["steps"][-1:], {"value": values}, architecture=name, layer=0, quantity=quantity)
        for quantity, values in answers.items()
    ]
    return pd.concat(frames)


def table(measures, settings):
    rows = []
    for keys, group in measures.instances.groupby(KEYS, sort=False):
        values, row = group["value"].to_numpy(), dict(zip(KEYS, keys, strict=True))
        if row["quantity"].startswith("share"):
            interval, quartiles = wilson(int(values.sum()), len(values)), (np.nan, np.nan)
        else:
            interval, quartiles = median_interval(values), np.quantile(values, [0.25, 0.75])
        names = ("value", "low", "high", "first_quartile", "third_quartile")
        rows.append(row | dict(zip(names, (*interval, *quartiles), strict=True)) | {"instances": len(values)})
    return pd.DataFrame(rows)
