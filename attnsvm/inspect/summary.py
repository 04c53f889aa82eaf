"""The first sentences of the page: how many controls heads beat, and what the numbers cannot decide."""

import numpy as np
import pandas as pd

from attnsvm.inspect.columns import NORMS
from attnsvm.inspect.layers import counted

LIMITS = {
    "selections": "Logits pass a soft cap: what is selected is exact, W is not the head's; changed and loss_added are "
    "empty.",
    "frozen norms": "Queries and keys are normed: with the norms frozen the logits are exact, but no training of this "
    "model leads to such a W; alignment and margins are descriptive only, changed and loss_added are empty.",
}
BEST = 5  # heads whose deeds are told


def sentences(table: pd.DataFrame, repeats: tuple = (0, 0), without_loss: str = "", then: str = "") -> list[str]:
    """A verdict, then what heads do, what is empty or uncertain, and what was left out."""
    meant = "The SVM of a head is the W of least norm that selects the same tokens, each with margin 1; the certified "
    found = [*verdict(table), f"{meant}direction is that of this W.", *limits(table), *best(table, then)]
    return [*found, *empty(table, without_loss), *left_out(*repeats)]


def verdict(table: pd.DataFrame) -> list[str]:
    """How many controls of all heads are beaten, and of how many nothing is decided; none where nothing is solved."""
    if table["inputs_held_out"].max() == 0:
        return ["No input is held out: nothing is said of new selections."]
    beaten, neither, every = (int(table[name].sum()) for name in ("beats", "undecided", "controls"))
    said = f"SVMs predict new selections better than {beaten} of {every} controls, beyond chance (95 % each)"
    of = counted(int(table["texts_held_out"].max()), "text", "texts")
    return [f"{said}; {neither} are not decided with {of}."] * (every > 0)


def best(table: pd.DataFrame, then: str) -> list[str]:
    """What the heads do that beat most controls, the first ones first; and what says which tokens hold selections."""
    by = [*({"changed_fro"} & {*table}), "layer", "head"]
    order = {"ascending": [False] * (len(by) - 1) + [True, True]}
    first = table[table["controls"] > 0].sort_values(["beats", *by], **order)[:BEST]
    found = [
        f"Layer {row['layer']}, head {row['head']} beats {row['beats']} of {row['controls']} controls"
        f"{not_decided(row)}. It selects {row['does']}.{matters(row)}"
        for row in first.to_dict("records")
    ]
    also = [f"{then} --layer {row.layer} --head {row.head}" for row in first[:1].itertuples()]
    return found + [line for one in also for line in ("Which tokens hold its selections, says:", one)]


def not_decided(row: dict) -> str:
    """Of how many controls nothing is decided; "" for none."""
    of = counted(row["texts_held_out"], "text", "texts")
    return f", {row['undecided']} not decided with {of}" if row["undecided"] else ""


def matters(row: dict) -> str:
    """A sentence that says what becomes of a head without its certified direction; "" where that was not measured."""
    if not row.get("changed_fro", np.nan) >= 0:
        return ""
    percent = [f"{100 * row[f'changed{end}_fro']:.0f}" for end in ("", "_low", "_high", "_random")]
    said = " Without the certified direction {} % ({} to {}) of its selections change".format(*percent)
    if not row["changed_random_fro"] >= 0:
        return f"{said}."
    said += f", without one turned at random {percent[3]} %{_as_well(row, 'changed')}."
    if not row["loss_added_random_fro"] > -np.inf:
        return said
    nats = [f"{row[f'loss_added{end}_fro']:+.4f}" for end in ("", "_low", "_high", "_random")]
    added = " The model's loss changes by {} ({} to {}) nats without it, and by {} without that at random".format(*nats)
    return f"{said}{added}{_as_well(row, 'loss_added')}."


def _as_well(row: dict, what: str) -> str:
    return ": no clear difference" if row[f"{what}_random_fro"] >= row[f"{what}_low_fro"] else ""


def empty(table: pd.DataFrame, without_loss: str = "") -> list[str]:
    """Why columns are empty, a sentence for each reason; `without_loss`: why that of the whole model is not known."""
    found = []
    for norm, name in NORMS.items():
        status = table[f"status_{norm}"] if f"status_{norm}" in table else pd.Series(dtype=object)
        failed = status[status != "solved"].value_counts()
        why = joined([f"{kind} in {count}" for kind, count in failed.items()]) if len(failed) else ""
        found += [f"Columns of the {name} norm are empty for {failed.sum()} heads: {why}."] if why else []
    if table["half_length_measured"].isna().all():
        found.append("half_length_measured is empty: no fitted text is long enough; give some four times as long.")
    if "alignment_mismatched_fro" in table and (table["separable_mismatched_fro"] == 0).all():
        found.append("Columns of mismatched heads are empty: no head has other keys, or none is separable.")
    if without_loss:
        found.append(f"Columns of loss_added are empty: {without_loss}.")
    return found


def left_out(texts: int, queries: int) -> list[str]:
    """A sentence that says how many were left out since an earlier one is equal, or none."""
    parts = [counted(texts, "text", "texts")] * bool(texts) + [counted(queries, "query", "queries")] * bool(queries)
    return [f"Left out, as equal to earlier ones once cut: {joined(parts)}."] if parts else []


def limits(table: pd.DataFrame) -> list[str]:
    """What the theory does not say of these heads, a sentence for each reason."""
    kinds = table["theory"].unique() if "theory" in table else []
    return [said for kind, said in LIMITS.items() if kind in kinds]


def joined(parts: list[str]) -> str:
    """ "a, b and c"."""
    return " and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]]))
