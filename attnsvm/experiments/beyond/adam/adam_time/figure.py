"""Adam's pace over its closed form, and its margin ratio against its own time."""

from attnsvm.plots.panels import panel
from attnsvm.plots.style import BLACK, BLUE, GREEN, GREY, MARKERS, ORANGE, PURPLE, SKY, VERMILLION, bars, sheet

COLOURS = (BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY, BLACK)
LEFT_BEHIND = 50  # logits: see the caption


@sheet(height=0.42)
def draw(figure, table):
    """Draw from rows (run, beta2, rate, step, quantity, value, low, high, instances, interval)."""
    paces, way = figure.subplots(1, 2, width_ratios=(1, 1.5))
    ends = table.sort_values("step").groupby(["run", "quantity"]).last()
    for k, (run, rows) in enumerate(table.groupby("run", sort=False)):
        look = {"color": COLOURS[k % len(COLOURS)], "marker": MARKERS[k % len(MARKERS)]}
        for quantity, shift, face in (("deviation", -0.15, look["color"]), ("slower", 0.15, "white")):
            row = ends.loc[(run, quantity), ["value", "low", "high"]] + 1
            style = {"color": look["color"], "fmt": look["marker"], "markerfacecolor": face}
            paces.errorbar([row["value"]], [k + shift], xerr=bars(row), **style)
        wide = rows.pivot(index="step", columns="quantity", values="value")
        wide = wide[wide["travelled"] >= LEFT_BEHIND]
        label = f"{rows['beta2'].iloc[0]:g}, {rows['rate'].iloc[0]:g}"
        way.plot(wide["time"], wide["linf"], **look, markersize=3, label=label)
    paces.plot([], [], "o", color=GREY, label="closed form")
    paces.plot([], [], "o", color=GREY, markerfacecolor="white", label="slower of two")
    paces.axvline(1, color=GREY, linewidth=0.6)
    words = {"xlabel": "pace, over that predicted", "yticks": [], "ylim": (k + 2.6, -0.6)}
    panel(paces, "a", "pace of the margin", legend="lower left", **words)
    words = {"xlabel": "step, in times of forgetting", "ylabel": "margin ratio in the max norm"}
    panel(way, "b", "one curve", "x", {"title": "β2, η", "loc": "lower right", "ncols": 2}, **words)
