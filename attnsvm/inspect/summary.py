"""The first sentences of the page: how many heads beat which control, and what the numbers cannot decide."""

import numpy as np
import pandas as pd

NAMES = {"fro": "Frobenius", "nuc": "nuclear"}
CONTROLS = {
    "random": "random heads",
    "permuted": "permuted selections",
    "distances": "permuted distances",
    "mismatched": "mismatched heads",
}
LIMITS = {
    "selections": "Logits pass a soft cap: what is selected is exact, W is not the head's.",
    "frozen norms": "Queries and keys are normed: with the norms frozen the logits are exact, but no training of this "
    "model leads to such a W; alignment and margins are descriptive only.",
}
UNCERTAIN = 0.2  # half width of a 95 % interval of a share from which on the page warns


def sentences(table: pd.DataFrame) -> list[str]:
    """One sentence for each norm; a head beats a null model where it is above the largest draw of it."""
    found = []
    for norm, name in NAMES.items():
        if f"alignment_{norm}" not in table:
            continue
        parts = [
            _beaten(table, f"alignment_{norm}", f"alignment_{kind}_most_{norm}", what)
            for kind, what in CONTROLS.items()
        ]
        parts = [part for part in parts if part]
        predicted = _beaten(table, f"predicted_{norm}", "rule_predicted", "the best rule that reads no token")
        aligned = f"{name} norm: a head is aligned with its SVM better than {_joined(parts)}" if parts else ""
        known = f"the SVM predicts new selections better than {predicted}" if predicted else ""
        if aligned or known:
            found.append("; ".join(filter(None, [aligned or f"{name} norm", known])) + ".")
    kinds = table["theory"].unique() if "theory" in table else []
    return found + [said for kind, said in LIMITS.items() if kind in kinds]


def _joined(parts: list[str]) -> str:
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


def _beaten(table: pd.DataFrame, column: str, control: str, what: str) -> str:
    """ "random heads in 3 of 72"; "" without numbers to compare."""
    if control not in table:
        return ""
    both = table[[column, control]].dropna()
    return f"{what} in {int((both[column] > both[control]).sum())} of {len(both)}" if len(both) else ""
