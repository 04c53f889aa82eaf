"""Why a head selects what it selects: the support tokens of each selection, and how far a rival would have to move.

A rival x_t overtakes the selected token once it has moved by its margin over the length of ∂ logit / ∂ x_t, the query
and all else being as they were: the least of these over the rivals is the flip radius of the selection.
"""

import numpy as np
import pandas as pd
from scipy.special import softmax

from attnsvm.inspect.layers import Inputs, Layer, counted, logits, selections
from attnsvm.inspect.lifted import Head, LiftedProblem
from attnsvm.inspect.measures import half_length
from attnsvm.inspect.solving import TIGHT, Problem
from attnsvm.inspect.summary import joined
from attnsvm.system.errors import shown

TOLD, HOLDERS = 5, 3  # selections that are told in words, and support tokens of each
COLUMNS = {
    "text": "number of the text, from 0",
    "sentence": "its words, where there are words",
    "query": "place of the query in its text; −1 where it is not one of the tokens",
    "query_word": "its word",
    "selected": "place of the token that the head selects",
    "selected_word": "its word, where there are words",
    "weight": "weight of attention of the selected token; soft caps and sinks are left out",
    "runner_up": "place of the token with the second largest logit",
    "runner_up_word": "its word",
    "margin": "of W_mm at norm one, 1/‖W_mm‖, the same for all selections",
    "support": "place of a support token: a rival on the margin of W_mm; empty where the selection has none",
    "support_word": "its word",
    "multiplier": "of this constraint in W_mm at norm one; all multipliers of the head add up to one over its margin",
    "half_length": "length at which the selected token would have half of the weight, predicted from this selection: "
    "1 + (T − 1)p/(1 − p) with its weight p among T tokens; soft caps and sinks are left out",
    "nearest": "place of the rival that would overtake the selected token first",
    "nearest_word": "its word",
    "radius": "flip radius of the selection: how far that rival would have to move; empty with frozen norms",
}


def reasons(layer: Layer, head: int, rows: np.ndarray) -> pd.DataFrame:
    """One row for each support token of each selection of a head, with the columns of `COLUMNS`.

    Args:
        rows: the numbers of the inputs that W_mm is fitted on.

    Returns:
        An empty table where no W separates the selections, or none is certified.
    """
    W, inputs = layer.heads[head], layer.inputs.take(rows)
    lifted = isinstance(W, Head)
    problem = (LiftedProblem(inputs, W.way) if lifted else Problem(inputs)).seen_by(W)
    selected = selections(inputs, W)
    answer = problem.certified(selected, "fro", W.logits(inputs) if lifted else None)
    if not answer.solved:
        return pd.DataFrame(columns=list(COLUMNS))
    margins = problem.margins(answer.W, selected)
    index = problem.index(selected)[margins < 1 + TIGHT]
    multipliers = answer.dual[margins < 1 + TIGHT]
    away = flips(W, inputs, selected)
    stays = layer.theory != "frozen norms"  # which would move with the token
    margin = 1 / (answer.W.size() if lifted else np.linalg.norm(answer.W))
    found = []
    for i, (alpha, logit) in enumerate(zip(selected, logits(inputs, W), strict=True)):
        held = np.flatnonzero((index[:, 0] == i) & (multipliers > 0))
        start, words = (
            int(inputs.start[i]),
            [shown(word).strip() or shown(word) for word in inputs.words[i]] if inputs.words else [],
        )
        query = start + int(inputs.position[i]) if inputs.position[i] >= 0 else -1
        second = start + int(np.where(np.arange(len(logit)) == alpha, -np.inf, logit).argmax())
        said = {
            "text": int(inputs.text[i]),
            "sentence": " ".join(words),
            "query": query,
            "query_word": words[query] if words and query >= 0 else "",
            "selected": start + int(alpha),
            "selected_word": words[start + alpha] if words else "",
            "weight": float(softmax(logit)[alpha]),
            "runner_up": second,
            "runner_up_word": words[second] if words else "",
            "margin": margin,
            "half_length": half_length(logit),
            "nearest": start + int(away[i].argmin()),
            "nearest_word": words[start + away[i].argmin()] if words else "",
            "radius": away[i].min() if stays else np.nan,
        }
        for k in held:
            place = start + int(index[k, 2])
            support = {"support": place, "support_word": words[place] if words else "", "multiplier": multipliers[k]}
            found.append(said | support)
        if len(held) == 0:
            found.append(said)
    table = pd.DataFrame(found, columns=list(COLUMNS))
    return table.astype({"support": "Int64"}).fillna({"support_word": ""})


def in_words(table: pd.DataFrame) -> list[str]:
    """What a table of `reasons` says of the first selections, two lines for each, and where the others are."""
    each = [rows for _, rows in table.groupby(["text", "query"], sort=False)]
    margin, of = f"margin 1/‖W‖ = {table['margin'].iloc[0]:.3g}", table.attrs.get("fitted", "these queries")
    found = [f"The W of least norm holds the selections with {margin}; it is fitted on {of}."]
    for rows in each[:TOLD]:
        one, held = rows.iloc[0], rows.dropna(subset="support").sort_values("multiplier", ascending=False)
        asks = _named(one, "query") if one["query"] >= 0 else "the query"
        said = f"  {asks} attends to {_named(one, 'selected')}, weight {one['weight']:.2f}"
        said += f", then to {_named(one, 'runner_up')}"
        shares = held.assign(share=100 * held["multiplier"] / held["multiplier"].sum())
        parts = [f"{_named(row, 'support')} ({row['share']:.0f} %)" for _, row in shares[:HOLDERS].iterrows()]
        parts += [f"{len(held) - HOLDERS} more"] * (len(held) > HOLDERS)
        said += f"; held against {joined(parts)}" if parts else "; no constraint of its own binds"
        said += (
            f"; the head flips once {_named(one, 'nearest')} moves by {one['radius']:.2g}" if one["radius"] > 0 else ""
        )
        found += [f"Text {one['text']}: {one['sentence']}".rstrip(": "), f"{said}."]
    rest = len(each) - TOLD
    more = counted(rest, "more selection is", "more selections are")
    return found + [f"{more} in the table; --text N tells that of one text, fitted or not."] * (rest > 0)


def _named(row: pd.Series, name: str) -> str:
    """A word of a selection, with its place where it stands there more than once."""
    word = row[f"{name}_word"]
    again = f" in place {row[name]}" if row["sentence"].split(" ").count(word) > 1 else ""
    return f"“{word}”{again}" if word else f"token {row[name]}"


def flips(W, inputs: Inputs, selected: np.ndarray) -> list[np.ndarray]:
    """(T_i,) for each input: how far a token must move for its logit to reach that of the selected one, for which ∞."""
    found = []
    for i, (one, alpha) in enumerate(zip(logits(inputs, W), selected, strict=True)):
        with np.errstate(divide="ignore", invalid="ignore"):  # of a head of zeros nothing moves a logit
            away = (one[alpha] - one) / _steepness(W, inputs.take([i]))
        away[alpha] = np.inf
        found.append(away)
    return found


def _steepness(W, one: Inputs) -> np.ndarray:
    """(T,) the length of the derivative of each logit of one input by the coordinates of its token that can move."""
    slope = (W @ one.queries[0])[None] if isinstance(W, np.ndarray) else W.slope(one)
    return np.linalg.norm(slope[:, : one.moving], axis=1)
