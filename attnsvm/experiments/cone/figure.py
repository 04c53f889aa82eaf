"""Started around the SVM direction of some tokens: the share of runs that stay with them."""

from attnsvm.plots.style import GREY, MARKERS, SERIES, canvas, title

KINDS = {"locally_optimal": "locally optimal tokens", "not_locally_optimal": "tokens that are not"}


def draw(table, settings):
    """Draw from rows (kind, R, mu, end, share, low, high, instances)."""
    positions = {mu: k for k, mu in enumerate(sorted(table["mu"].unique()))}
    with canvas(settings, height=0.42) as figure:
        row = figure.subplots(1, 2, sharex=True, sharey=True)
        for axes, letter, (kind, words) in zip(row, "ab", KINDS.items(), strict=True):
            rows = table[(table["kind"] == kind) & (table["end"] == "converged")]
            for k, (R, line) in enumerate(rows.groupby("R")):
                line = line.sort_values("mu")
                x = line["mu"].map(positions) + 0.06 * (k - 1)
                look = {"color": SERIES[k], "marker": MARKERS[k], "linestyle": ("-", "--", "-.")[k % 3]}
                axes.plot(x, line["share"], label=f"$R = {R:g}$", markersize=3.5, **look)
                axes.vlines(x, line["low"], line["high"], color=look["color"], linewidth=0.8)
            axes.set(xlabel="1 − correlation at the start", ylim=(-0.04, 1.04))
            count = rows["instances"].max() if len(rows) else 0
            title(axes, letter, f"{words} ({count:.0f} instances)")
        row[0].set_xticks(list(positions.values()), [f"{mu:g}" for mu in positions])
        row[0].set(ylabel="share that stays and converges")
        note = figure.legend(*row[0].get_legend_handles_labels(), loc="outside upper center", ncols=4)
        note.set_title(r"start: norm $R\,\|W^{\mathrm{mm}}\|$; bars: 95 % Wilson interval")
        note.get_title().set_color(GREY)
    return figure
