"""The audit at a glance: every claim, the value measured, the threshold, the verdict."""

import pandas as pd

from attnsvm.audit.pages import interval, number
from attnsvm.audit.reading import DIFFERS, FAILS, HOLDS, IN_PART, UNTESTABLE
from attnsvm.plots.style import BLUE, GREEN, GREY, ORANGE, VERMILLION, canvas

# Shape and colour: a reader who sees neither hue nor grey tells them apart by the mark.
MARKS = {
    HOLDS: ("o", GREEN),
    IN_PART: ("D", ORANGE),
    FAILS: ("X", VERMILLION),
    DIFFERS: ("s", BLUE),
    UNTESTABLE: ("_", GREY),
}
SHORT = {
    "feasibility": "separable from $d = \\max(T-1, n)$ on",
    "rank_bound": "rank at most $\\min(n, d)$",
    "row_space": "rows in the span of the queries",
    "W_to_frobenius": "$W$ goes to the Frobenius solution",
    "KQ_to_nuclear": "$(K, Q)$ goes to the nuclear solution",
    "own_norm": "and not the other way round",
    "global_grows": "more often global as $d$ grows",
    "global_under_conditions": "all support vectors: not global",
    "locally_optimal": "where not global, locally optimal",
    "token_count": "less often global as $T$ grows",
    "self_own_norm": "self-attention: own norm's solution",
    "self_locally_optimal": "self-attention: locally optimal",
    "diverges": "norm diverges under the conditions",
    "settles": "a finite stationary point without them",
    "stays": "stays in a cone if locally optimal",
    "leaves": "leaves it if not",
    "path_fro": "regularisation path, Frobenius ball",
    "path_nuc": "regularisation path, nuclear ball",
    "generalised_svm": "nonlinear head: generalised SVM",
    "selected_count": "penalised head: tokens selected",
    "sequence": "query at every position",
    "causal": "causal prediction",
    "positional": "positions as a regulariser",
    "multi_head": "heads as a regulariser",
    "print_infeasible": "infeasible drawn as rank 1",
    "print_noise": "nuclear ranks are solver noise",
    "print_oracle": "$C$ fitted to the answer",
    "print_rejections": "rejected instances not mentioned",
}


def draw(table: pd.DataFrame, settings: dict):
    """Draw from the claims table, see `attnsvm.audit.audit`."""
    with canvas(settings, height=0.036 * len(table) + 0.08) as figure:
        axes = figure.subplots()
        axes.set_axis_off()
        axes.set(xlim=(0, 1), ylim=(len(table) + 0.6, -1.8))
        columns = {0.03: "claim", 0.42: "measured", 0.72: "threshold", 0.84: "verdict"}
        for x, words in columns.items():
            axes.text(x, -1, words, weight="bold", va="center")
        axes.axhline(-0.45, color=GREY, linewidth=0.6)
        previous = None
        for y, row in enumerate(table.to_dict("records")):
            marker, colour = MARKS[row["verdict"]]
            axes.plot(0.01, y, marker=marker, color=colour, markersize=5, linestyle="none")
            axes.text(0.03, y, SHORT[row["key"]], va="center")
            measured = f"{number(row['value'])} {interval(row)}" if row["verdict"] != UNTESTABLE else "–"
            if pd.notna(row["published"]):
                measured += f" (print {number(row['published'])})"
            axes.text(0.42, y, measured, va="center")
            axes.text(0.72, y, number(row["threshold"]), va="center")
            axes.text(0.84, y, row["verdict"], va="center", color=colour)
            if previous not in (None, row["group"]):
                axes.axhline(y - 0.5, color="0.8", linewidth=0.6)
            previous = row["group"]
    return figure
