"""The first sentences of the page: how many heads beat which control, and what the numbers cannot decide."""

import numpy as np
import pandas as pd

from attnsvm.inspect.columns import NORMS
from attnsvm.inspect.layers import counted

CONTROLS = {
    "random": "random heads",
    "permuted": "permuted selections",
    "distances": "permuted distances",
    "mismatched": "mismatched heads",
}
LIMITS = {
    "selections": "Logits pass a soft cap: what is selected is exact, W is not the head's; changed and loss_added are "
    "empty.",
    "frozen norms": "Queries and keys are normed: with the norms frozen the logits are exact, but no training of this "
    "model leads to such a W; alignment and margins are descriptive only, changed and loss_added are empty.",
}
BEST = 5  # heads whose deeds are told
UNCERTAIN = 0.2  # half width of a 95 % interval of a share from which on the page warns


def sentences(
    table: pd.DataFrame, repeats: tuple[int, int] = (0, 0), without_loss: str = "", then: str = ""
) -> list[str]:
    """Verdicts, then what heads do, what is empty or uncertain, and what was left out."""
    meant = "The SVM of a head is the W of least norm that selects the same tokens, each with margin 1; the certified "
    found = [
        *verdicts(table),
        f"{meant}direction is that of this W.",
        *limits(table),
        *best(table, then),
        *empty(table, without_loss),
    ]
    return [*found, *filter(None, [warning(int(table["inputs_held_out"].min()))]), *left_out(*repeats)]


def verdicts(table: pd.DataFrame) -> list[str]:
    """How many controls are beaten, and for each norm how many heads are aligned above the largest draw of each."""
    found = []
    if "controls" in table and table["controls"].sum() > 0:
        beaten, neither, every = (int(table[name].sum()) for name in ("beats", "undecided", "controls"))
        said = f"SVMs predict new selections better than {beaten} of {every} controls, beyond chance (95 %)"
        of = counted(int(table["texts_held_out"].max()), "text", "texts")
        found.append(f"{said}; {neither} are not decided with {of}.")
    for norm, name in NORMS.items():
        parts = [f"{what} in {_share(table, *columns)}" for what, *columns in alignments(table, norm)]
        if parts:
            aligned = f"{name} norm: a head is aligned with its SVM better than {joined(parts)}"
            found.append(f"{aligned}.{by_chance(table, norm)}")
    return found


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


def alignments(table: pd.DataFrame, norm: str) -> list[tuple[str, str, str]]:
    """(null model, column, its largest draw) of those that there are numbers of."""
    found = [(what, f"alignment_{norm}", f"alignment_{kind}_most_{norm}") for kind, what in CONTROLS.items()]
    return [one for one in found if beaten(table, *one[1:])[1]]


def by_chance(table: pd.DataFrame, norm: str) -> str:
    """A sentence that says how often one of several random heads is above all others."""
    draws = table[f"separable_random_{norm}"].max() if f"separable_random_{norm}" in table else 0
    return f" Random heads beat one another too: 1 in {int(draws) + 1} is chance." if draws > 0 else ""


def beaten(table: pd.DataFrame, column: str, control: str) -> tuple[int, int]:
    """How many heads are above the control, of how many that have both numbers."""
    if column not in table or control not in table:
        return 0, 0
    both = table[[column, control]].dropna()
    return int((both[column] > both[control]).sum()), len(both)


def _share(table: pd.DataFrame, column: str, control: str) -> str:
    return "{} of {}".format(*beaten(table, column, control))


def joined(parts: list[str]) -> str:
    """ "a, b and c"."""
    return " and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]]))


def warning(held_out: int) -> str:
    """A sentence where so few inputs are held out that a share of them says little; "" elsewhere."""
    if held_out == 0:
        return "No input is held out: nothing is said of new selections."
    width = 1.96 * np.sqrt(0.25 / held_out)
    if width <= UNCERTAIN:
        return ""
    inputs = "1 input is" if held_out == 1 else f"{held_out} inputs are"
    return f"Only {inputs} held out: a share of them is uncertain by up to ± {width:.2f} (95 %). Give more texts."
