"""A sink with softmax and none with ReLU, what goes with the fixed token, and the path to the sink's SVM."""

from attnsvm.analysis.rows import where
from attnsvm.plots.style import BLUE, GREY, ORANGE, VERMILLION, bars, sheet, title

CASES = {
    ("softmax", "fixed"): "softmax, fixed",
    ("softmax", "published"): "fixed, 16 tokens",
    ("softmax", "shuffled"): "permuted",
    ("ReLU", "fixed"): "ReLU, fixed",
    ("ReLU", "published"): "fixed, 16 tokens",
    ("ReLU", "shuffled"): "permuted",
}
LOOKS = (("whole", BLUE, "-", "o", "all rows"), ("rest", ORANGE, "--", "s", "rows without a trigger"))


@sheet(height=0.46)
def draw(figure, table):
    """Draw from rows (first, model, quantity, at, value, low, high, instances)."""
    weights, errors, path = figure.subplots(1, 3)
    for quantity, shift, look in (
        ("first", -0.12, {"color": VERMILLION, "marker": "o", "label": "the first token"}),
        ("others", 0.12, {"color": GREY, "marker": "s", "markerfacecolor": "white", "label": "all other tokens"}),
    ):
        _cases(weights, table, quantity, shift, **look)
    weights.set(xlabel="weight, rows without a trigger", xlim=(-0.04, 1.04))
    weights.set_yticks(range(len(CASES)), CASES.values())
    weights.legend(loc="center right", bbox_to_anchor=(1, 0.33))
    title(weights, "a", "softmax has a sink")
    _cases(errors, table, "error", 0.0, color=BLUE, marker="D")
    errors.set(xlabel="relative squared error")
    errors.set_yticks(range(len(CASES)), [])
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


def _cases(axes, table, quantity, shift, **look):
    """A mark with its interval for each model, those of softmax above those of ReLU."""
    for k, (model, first) in enumerate(CASES):
        row = where(table, model=model, first=first, quantity=quantity)
        named = look if k == 0 else look | {"label": None}
        axes.errorbar(row["value"], [k + shift], xerr=bars(row), linestyle="none", **named)
    axes.axhline(len(CASES) / 2 - 0.5, color=GREY, linewidth=0.6)
    axes.set_ylim(len(CASES) - 0.5, -0.5)
    axes.grid(visible=False, axis="y")
