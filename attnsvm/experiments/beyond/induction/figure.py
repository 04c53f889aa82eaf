"""The circuit as it forms, what prevents it, where both layers go, and the logarithm of the layer below."""

import numpy as np

from attnsvm.experiments.beyond.induction.runs import RUNS, SLOW, TASK
from attnsvm.plots.style import BLACK, BLUE, GREY, ORANGE, VERMILLION, band, sheet, title

FALSE = "permuted answers"
PARTS = {"previous": (BLUE, "layer below: place before"), "answer": (BLACK, "top: the answer's place")}
RULES = {
    "top": ("top: its SVM", BLACK, "o"),
    "growth, needed": ("below: its SVM", BLUE, "s"),
    "growth, answer's row": ("below: answer's row", ORANGE, "^"),
    "growth, moved": ("below: places moved", VERMILLION, "X"),
    "at the start": ("below, at the start", GREY, "D"),
}


@sheet(height=0.62)
def draw(figure, table):
    """Draw from rows (run, quantity, step, value, low, high, largest, instances)."""
    ends = table[table["step"] == table.groupby("run")["step"].transform("max")]
    (forming, deciding), (near, slow) = figure.subplots(2, 2)
    forms(forming, table)
    decides(deciding, table, ends)
    distances(near, ends)
    logarithm(slow, table)


def forms(axes, table):
    for run, dashes in ((TASK, "-"), (FALSE, "--")):
        for quantity, (colour, words) in PARTS.items():
            rows = table[(table["run"] == run) & (table["quantity"] == quantity)].sort_values("step")
            words = words if run == TASK else None
            band(axes, rows, "step", alpha=0.15, linestyle=dashes, color=colour, label=words)
    axes.plot([], [], "--", color=GREY, label=FALSE)
    axes.set(xscale="log", xlabel="step", ylabel="probability", ylim=(0, 1.05))
    axes.legend(fontsize="small", loc="center left", bbox_to_anchor=(0.36, 0.62))
    title(axes, "a", "… A B … A: the circuit forms")


def decides(axes, table, ends):
    rows = table[(table["quantity"] == "share formed") & (table["step"] == ends["step"].min())].set_index("run")
    for place, run in enumerate(RUNS):
        row, colour = rows.loc[run], BLUE if RUNS[run].long else BLACK
        axes.hlines(place, row["low"], row["high"], color=colour, linewidth=0.8)
        axes.plot(row["value"], place, "o", color=colour)
    axes.set_yticks(np.arange(len(RUNS)), list(RUNS))
    axes.set(xlabel="share of starts that form it", xlim=(-0.03, 1.03), ylim=(len(RUNS) - 0.5, -0.5))
    title(axes, "b", "what decides whether it forms")


def distances(axes, ends):
    for k, run in enumerate((TASK, SLOW)):
        rows = ends[ends["run"] == run].set_index("quantity")
        for place, (quantity, (_, colour, marker)) in enumerate(RULES.items()):
            if quantity in rows.index:
                row, at = rows.loc[quantity], place + 0.25 * k
                axes.hlines(at, row["low"], row["largest"], color=colour, linewidth=0.8)
                look = {"markerfacecolor": "white"} if k else {}
                axes.plot(row["value"], at, marker, color=colour, **look)
    axes.set_yticks(np.arange(len(RULES)), [words for words, _, _ in RULES.values()])
    axes.plot([], [], "o", color=GREY, label=TASK)
    axes.plot([], [], "o", color=GREY, markerfacecolor="white", label=SLOW)
    axes.legend(fontsize="small", loc="lower left")
    axes.set(xscale="log", xlabel="1 − correlation", ylim=(len(RULES) - 0.4, -0.5))
    title(axes, "c", "each layer goes to its SVM")


def logarithm(axes, table):
    for run, colour, marker in ((TASK, BLUE, "s"), (SLOW, VERMILLION, "^")):
        rows = table[table["run"] == run].pivot(index="step", columns="quantity", values="value")
        if "coefficient" in rows:
            axes.plot(rows["norm"], rows["coefficient"], color=colour, marker=marker, label=run)
            if run == TASK:
                x = rows["norm"].iloc[[len(rows) // 3, -1]].to_numpy()
                line = rows["coefficient"].iloc[-1] + 2.0 * np.log(x / x[-1])
                axes.plot(x, line, ":", color=BLACK, label="2 log‖W‖ + constant")
    axes.set(xscale="log", xlabel="‖W‖ of both layers", ylabel="layer below along its SVM")
    if axes.lines:
        axes.legend(fontsize="small")
    title(axes, "d", "the layer below: 2 log‖W‖")
