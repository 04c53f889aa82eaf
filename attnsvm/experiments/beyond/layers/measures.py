"""How far every layer is from its SVM under each rule, the ratio of norms, and what becomes of rows, along training."""

import numpy as np
import pandas as pd

from attnsvm.analysis.directions import correlation
from attnsvm.analysis.ends import equal_tokens
from attnsvm.analysis.measured import Measures, by_quantity, curves, outcomes
from attnsvm.analysis.medians import largest, medians, named_share, without_shares
from attnsvm.analysis.selection import SUPPORT_TOLERANCE, by_token, selected_sets, selected_tokens
from attnsvm.analysis.stacked import certain, distance, norms, saturated
from attnsvm.data.architecture import counting_rows
from attnsvm.experiments.beyond.layers.architectures import NO_RESIDUAL, PLANTED, plain, stack_of, trained_on
from attnsvm.experiments.beyond.layers.conditions import conditions
from attnsvm.experiments.beyond.layers.ends import QUARTER, corrected, early_place, rows_at, stated
from attnsvm.experiments.beyond.layers.forces import (
    angle,
    coefficients,
    held_law,
    held_terms,
    multipliers,
    reversed_terms,
)
from attnsvm.experiments.beyond.layers.next_order import left

ONSET = 0.1  # of what is behind u: from the ‖W‖ on at which theorem 2 leaves less of it for good it has set in
EQUAL = 1e-9  # distance of two composed tokens, relative to the longest of an instance, up to which they are one
KEYS = ["architecture", "layer", "quantity", "step"]
MEASURED = "measured"
WHOLE = {"layer": 0}  # the layer in rows about the whole stack


def measures(cell, problems, trained, solved, settings):
    frames, ends = [], []
    for name, run in trained.items():
        if name == PLANTED:
            frames += of_planted(problems, run, stated(problems, trained[plain(2)], stack_of(plain(2))))
            continue
        architecture, answers = stack_of(name), solved[name]
        seen = trained_on(name, problems)
        became = outcome(run, answers)
        ends.append(outcomes(cell, problems.seeds, words(name, became, answers)))
        frames.append(at_the_end(problems.seeds, name, run, became))
        # The top is never separable without the residual; the layers below are measured all the same.
        kept = np.isin(became, (MEASURED, "equal tokens")) if name == NO_RESIDUAL else became == MEASURED
        for rule, layers in answers.items():
            for layer, answer in layers.items():
                if rule == "top" and name == NO_RESIDUAL:
                    continue
                columns = {"architecture": name, "layer": int(layer), "quantity": rule}
                value, good = distance(run["weights"], int(layer), answer["W"]), kept & certain(answer, len(kept))
                at = measured_at(rule, run["steps"])
                frames.append(curves(problems.seeds[good], run["steps"][at], {"value": value[good][:, at]}, **columns))
        frames += worst(problems.seeds, name, run, answers, kept)
        length = {"norm": norms(run["weights"])}
        frames.append(by_quantity(problems.seeds, run["steps"], length, **WHOLE, architecture=name))
        if architecture.layers > 1 and name != NO_RESIDUAL:
            frames += ratios(problems.seeds, name, run, architecture, answers, kept)
        if architecture.layers > 1:
            frames += mixed(seen, name, run, architecture, kept)
        if name == plain(2):
            frames += held(problems, name, run, answers["law"]["1"], kept)
            frames += of_two_layers(problems, name, run, answers, kept)
    return Measures(pd.concat(frames), pd.concat(ends))


def measured_at(rule, steps):
    """The logged steps, by place, at which the distance from a rule's solutions counts."""
    single = {"predicted": -1, "quarter": early_place(steps, QUARTER)}
    return [single[rule]] if rule in single else slice(None)


def words(name, became, answers):
    """What became of each run, with the name of the stack unless all of it was measured."""
    every = [certain(answer, len(became)) for rule in ("stated", "corrected") for answer in answers[rule].values()]
    partly = np.where(np.logical_and.reduce(every), MEASURED, "stated or corrected without a solution")
    return [
        MEASURED if word == MEASURED else f"{word} ({name})" for word in np.where(became == MEASURED, partly, became)
    ]


def worst(seeds, name, run, answers, kept):
    """The largest distance of all layers of an instance, on the tokens that rows go to."""
    frames = []
    for rule in (rule for rule in ("stated", "corrected", "quarter") if rule in answers):
        layers, at = answers[rule].items(), measured_at(rule, run["steps"])
        good = kept & np.logical_and.reduce([certain(answer, len(kept)) for _, answer in layers])
        value = np.max([distance(run["weights"], int(layer), answer["W"]) for layer, answer in layers], axis=0)
        columns = WHOLE | {"architecture": name, "quantity": rule}
        frames.append(curves(seeds[good], run["steps"][at], {"value": value[good][:, at]}, **columns))
    return frames


def mixed(problems, name, run, architecture, kept):
    """Whether a row below the top keeps a mixture after the last step: 0 or 1."""
    found = {"share mixed": corrected(problems, run, architecture).mixed.any((1, 2, 3, 4, 5))[kept]}
    return [by_quantity(problems.seeds[kept], run["steps"][-1:], found, **WHOLE, architecture=name)]


def of_two_layers(problems, name, run, answers, kept):
    """What holds rows, the gradient beside the multipliers, the conditions of the theorem, distances between rules."""
    architecture, seeds, everyone = stack_of(name), problems.seeds, np.arange(len(problems))
    ends = corrected(problems, run, architecture)
    each = [certain(one, len(seeds)) for rule in ("stated", "corrected") for one in answers[rule].values()]
    kept = kept & np.logical_and.reduce(each)
    rows = [rows_at(problems, run, architecture, place) for place in range(len(run["steps"]))]
    dual = multipliers(answers["corrected"], ends.counts[:, 0].shape)

    def frame(quantity, values, who=everyone, steps=run["steps"][-1:], **columns):
        good = kept[who]
        columns = {"architecture": name, **WHOLE} | columns
        return curves(seeds[who[good]], steps, {"value": values[good]}, **columns, quantity=quantity)

    return [
        *of_probabilities(frame, run, rows, ends, held_terms(ends, dual)),
        *of_forces(frame, problems, run, rows, ends, dual),
        *of_gradients(frame, problems, run, rows[-1], ends, dual),
        *of_conditions(frame, problems, run, stated(problems, run, architecture), ends, dual, answers),
        *of_next_order(frame, run, left(problems, run["weights"], ends, answers["corrected"], dual)),
    ]


def of_probabilities(frame, run, rows, ends, held):
    """The probabilities along training of tokens that a multiplier holds, and of those in mixtures."""
    for quantity, some in (("held probability", held), ("mixed probability", ends.mixed[:, 0, 0])):
        values = np.stack([np.exp(one.below[:, 0, 0][some]) for one in rows], axis=1)
        yield frame(quantity, values, some.nonzero()[0], run["steps"], layer=1)


def of_forces(frame, problems, run, rows, ends, dual):
    """The force on held tokens over the law's, with a control, and the angle of gradient and multipliers, by step."""
    who = held_terms(ends, dual).nonzero()[0]
    for place, one in enumerate(rows):
        W, here = run["weights"][:, place], run["steps"][place : place + 1]
        force, law = held_law(problems, W, one, ends, dual)
        yield frame("held law", force / law, who, here, layer=1)
        yield frame("held law shuffled", force / moved_on(law, who), who, here, layer=1)
        yield frame("dual", angle(coefficients(problems, W, one, ends), dual, ends), steps=here)


def of_gradients(frame, problems, run, last, ends, dual):
    """The angle of the last gradient and other multipliers, and of the weights at an early step and the last."""
    gradient = coefficients(problems, run["weights"][:, -1], last, ends)
    yield frame("dual shuffled", angle(gradient, shuffled_terms(dual), ends))
    early = early_place(run["steps"])
    for layer in (1, 2):
        W = run["weights"][:, :, layer - 1, 0]
        yield frame("weights then", 1.0 - correlation(W[:, early], W[:, -1]), layer=layer)


def of_conditions(frame, problems, run, winners, ends, dual, answers):
    """Shares of instances with reversed rows and with the theorem's conditions met, and distances where they are."""
    against = reversed_terms(ends, dual)
    alone = equal_tokens(ends.rows.tokens[:, 1]).sum(-1) == 1
    met = conditions(problems, winners, certain(answers["all"]["1"], len(problems)), answers["stated"])
    shares = {"reversed": against.any((1, 2, 3)), "reversed alone": (against & alone[..., None]).any((1, 2, 3))}
    for quantity, share in (shares | met._asdict() | {"conditions": met.all}).items():
        yield frame(f"share {quantity}", share)
    for rule in ("stated", "corrected"):
        far = np.max([distance(run["weights"], k, answers[rule][str(k)]["W"]) for k in (1, 2)], axis=0)
        for words, some in (("met", met.all), ("not met", ~met.all)):
            yield frame(f"{rule}, {words}", far[some], np.flatnonzero(some), run["steps"])


def of_next_order(frame, run, share):
    """What theorem 2 leaves of the weights behind u (S, K) along training, and the ‖W‖ from which on it is small."""
    who = np.flatnonzero(~np.isnan(share[:, -1]))
    found, known = share[who], ~np.isnan(share[who]).any(0)  # r may be negative at first
    yield frame("next order", found[:, known], who, run["steps"][known])
    far = ~(found < ONSET)[:, ::-1]
    first = found.shape[1] - np.where(far.any(1), far.argmax(1), found.shape[1])
    length = np.append(norms(run["weights"])[who], np.full((len(who), 1), np.inf), axis=1)
    yield frame("next order radius", np.take_along_axis(length, first[:, None], 1)[:, 0], who)


def of_planted(problems, run, winners):
    """1 − ⟨u, W/‖W‖⟩ of runs that start near u, and the same over log‖W‖/‖W‖ as a share of what it is at first."""
    S, length = len(problems), norms(run["weights"])
    u = np.stack([run["aim"][layer]["W"] for layer in ("1", "2")], axis=1)
    u = u / np.sqrt(np.square(u).sum((1, 2, 3), keepdims=True))
    far = 1.0 - (run["weights"][:, :, :, 0] * u[:, None]).sum((2, 3, 4)) / length
    scaled = far * length / np.log(length)
    met = conditions(problems, winners, certain(run["everywhere"], S), run["aim"]).all
    good = certain(run["aim"]["1"], S) & certain(run["aim"]["2"], S)
    frames = []
    for words, some in (("met", met & good), ("not met", ~met & good)):
        for quantity, value in (("planted", far), ("planted, scaled", scaled / scaled[:, :1])):
            columns = {"architecture": PLANTED, "quantity": f"{quantity}, {words}", **WHOLE}
            frames.append(curves(problems.seeds[some], run["steps"], {"value": value[some]}, **columns))
    columns = {"architecture": PLANTED, "quantity": "norm", **WHOLE}
    return [*frames, curves(problems.seeds, run["steps"], {"value": length}, **columns)]


def moved_on(values, who):
    """A control: each value given to the next term of the same instance, whose number is in `who`."""
    return np.concatenate([np.roll(values[who == one], 1) for one in np.unique(who)] or [values])


def shuffled_terms(dual):
    """A control: the multipliers of every row and input, given to the next token."""
    return type(dual)(*(np.roll(part, 1, axis=-1) for part in dual))


def outcome(run, answers):
    """What became of each run, in one word."""
    top, distinct = next(iter(answers["top"].values())), distinct_tokens(run)
    S = len(distinct)
    refuted = (top["status"].reshape(S, -1) == "infeasible").any(1)
    every = [answer for rule in ("top", "law") for answer in answers.get(rule, {}).values()]
    good = np.logical_and.reduce([certain(answer, S) for answer in every])
    unproved = np.logical_or.reduce([(answer["status"].reshape(S, -1) == "uncertified").any(1) for answer in every])
    words = np.where(good & saturated(run["top"]), MEASURED, "not saturated")
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
    margin, share = values[:, kept]
    found = {"held margin": margin, "held share": share}
    return [by_quantity(problems.seeds[kept], run["steps"], found, architecture=name, layer=1)]


def at_the_end(seeds, name, run, became):
    """Whether a run could be measured, and whether the top sees equal tokens: 0 or 1 each, after the last step."""
    answers = {"share measured": became == MEASURED, "share of equal tokens": became == "equal tokens"}
    return by_quantity(seeds, run["steps"][-1:], answers, architecture=name, layer=0)


def table(measures, settings):
    quantiles = {"first_quartile": 0.25, "third_quartile": 0.75, "tail": 0.95}
    further = {name: lambda of, q=q: np.quantile(of["value"], q) for name, q in quantiles.items()} | {
        "largest": largest
    }
    return without_shares(medians(measures.instances, KEYS, named_share, **further), *further)
