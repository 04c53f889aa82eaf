"""The circuit as it forms, what prevents it, where both layers go, and the logarithm of the layer below."""

import numpy as np

from attnsvm.analysis.rows import last, where
from attnsvm.experiments.beyond.induction.runs import RUNS, SLOW, TASK
from attnsvm.plots.panels import across, panel, rungs
from attnsvm.plots.style import BLACK, BLUE, GREY, ORANGE, VERMILLION, band, sheet

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
    ends = last(table, "run")
    (forming, deciding), (near, slow) = figure.subplots(2, 2)
    forms(forming, table)
    decides(deciding, where(table, quantity="share formed", step=ends["step"].min()).set_index("run"))
    distances(near, ends)
    logarithm(slow, table)


def forms(axes, table):
    for run, dashes in ((TASK, "-"), (FALSE, "--")):
        for quantity, (colour, words) in PARTS.items():
            rows = where(table, run=run, quantity=quantity).sort_values("step")
            label = words if run == TASK else None
            band(axes, rows, "step", alpha=0.15, linestyle=dashes, color=colour, label=label)
    axes.plot([], [], "--", color=GREY, label=FALSE)
    legend = {"fontsize": "small", "loc": "center left", "bbox_to_anchor": (0.36, 0.62)}
    panel(axes, "a", "… A B … A: the circuit forms", "x", legend, xlabel="step", ylabel="probability", ylim=(0, 1.05))


def decides(axes, rows):
    for place, run in enumerate(RUNS):
        across(axes, place, rows.loc[run], BLUE if RUNS[run].long else BLACK, marker="o")
    rungs(axes, list(RUNS))
    panel(axes, "b", "what decides whether it forms", xlabel="share of starts that form it", xlim=(-0.03, 1.03))


def distances(axes, ends):
    for k, run in enumerate((TASK, SLOW)):
        face = {"markerfacecolor": "white"} if k else {}
        rows = where(ends, run=run).set_index("quantity")
        for place, (quantity, (_, colour, marker)) in enumerate(RULES.items()):
            if quantity in rows.index:
                across(axes, place + 0.25 * k, rows.loc[quantity], colour, end="largest", marker=marker, **face)
    for run, face in ((TASK, GREY), (SLOW, "white")):
        axes.plot([], [], "o", color=GREY, markerfacecolor=face, label=run)
    rungs(axes, [words for words, _, _ in RULES.values()], room=0.4)
    legend = {"fontsize": "small", "loc": "lower left"}
    panel(axes, "c", "each layer goes to its SVM", "x", legend, xlabel="1 − correlation")


def logarithm(axes, table):
    for run, colour, marker in ((TASK, BLUE, "s"), (SLOW, VERMILLION, "^")):
        rows = where(table, run=run).pivot(index="step", columns="quantity", values="value")
        if "coefficient" in rows:
            axes.plot(rows["norm"], rows["coefficient"], color=colour, marker=marker, label=run)
            if run == TASK:
                x = rows["norm"].iloc[[len(rows) // 3, -1]].to_numpy()
                line = rows["coefficient"].iloc[-1] + 2.0 * np.log(x / x[-1])
                axes.plot(x, line, ":", color=BLACK, label="2 log‖W‖ + constant")
    legend, words = {"fontsize": "small"} if axes.lines else None, "layer below along its SVM"
    panel(axes, "d", "the layer below: 2 log‖W‖", "x", legend, xlabel="‖W‖ of both layers", ylabel=words)
