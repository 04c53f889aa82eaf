"""A sink with softmax and none with ReLU, what goes with the fixed token, and the path to the sink's SVM."""

from attnsvm.analysis.rows import where
from attnsvm.plots.style import BLUE, GREY, ORANGE, VERMILLION, bars, sheet, title

CASES = {
    ("softmax", "fixed"): "softmax, fixed",
    ("softmax", "published"): "… 16 tokens",
    ("softmax", "shuffled"): "… shuffled",
    ("ReLU", "fixed"): "ReLU, fixed",
    ("ReLU", "published"): "… 16 tokens",
    ("ReLU", "shuffled"): "… shuffled",
}
LOOKS = (("whole", BLUE, "-", "o", "all rows"), ("rest", ORANGE, "--", "s", "rows without a trigger"))


@sheet(height=0.46)
def draw(figure, table):
    """Draw from rows (first, model, quantity, at, value, low, high, instances)."""
    weights, errors, path = figure.subplots(1, 3)
    for shift, quantity, colour, label in (
        (-0.2, "first", VERMILLION, "first token"),
        (0.2, "others", GREY, "all others"),
    ):
        _bars(weights, table, quantity, shift, 0.38, color=colour, label=label)
    weights.set(ylabel="weight, no trigger", ylim=(0, 1.05))
    weights.legend(loc="upper right")
    title(weights, "a", "softmax has a sink")
    _bars(errors, table, "error", 0.0, 0.6, color=BLUE)
    errors.set(ylabel="relative squared error", ylim=(0, None))
    title(errors, "b", "and needs its token")
    way = where(table, model="path").sort_values("at", ascending=False)
    norm = where(way, quantity="norm")["value"].to_numpy()
    for quantity, colour, line, marker, label in LOOKS:
        rows = where(way, quantity=quantity)
        path.fill_between(norm, rows["low"], rows["high"], color=colour, alpha=0.18, linewidth=0)
        path.plot(norm, rows["value"], color=colour, linestyle=line, marker=marker, label=label)
    path.set(yscale="log", xlabel="norm of W", ylabel="1 − correlation")
    ticks = (0.01, 0.02, 0.05, 0.1, 0.2)
    path.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    path.minorticks_off()
    path.set_ylim(bottom=0.004)
    path.legend(loc="lower left", title="SVM of")
    title(path, "c", "the sink is its margin")


def _bars(axes, table, quantity, shift, width, **look):
    for k, (model, first) in enumerate(CASES):
        row = where(table, model=model, first=first, quantity=quantity)
        label = look.get("label") if k == 0 else None
        axes.bar([k + shift], row["value"], width, **(look | {"label": label}))
        axes.errorbar([k + shift], row["value"], bars(row), color="k")
    axes.set_xticks(range(len(CASES)), CASES.values(), rotation=35, ha="right")
    axes.grid(visible=False, axis="x")
