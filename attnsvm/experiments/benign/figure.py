"""Where overfitting is benign over n and signal, descent beside the max-margin solution, and the threshold's law."""

import numpy as np

from attnsvm.plots.style import BLACK, BLUE, GREEN, GREY, ORANGE, VERMILLION, canvas, title

LOOKS = ((ORANGE, "--", "^"), (GREEN, "-.", "D"))  # of descent: after two steps, after all


def draw(table, settings):
    """Draw from rows (n, flips, run, quantity, at, value, low, high, smallest, largest, instances)."""
    with canvas(settings, height=0.42) as figure:
        phase, errors, law = figure.subplots(1, 3, width_ratios=(1.15, 1.0, 0.8))
        few = table["flips"].min()
        _phase(figure, phase, table[table["flips"] == few], few)
        rows = table[(table["flips"] == few) & (table["quantity"] == "error")]
        rows = rows[rows["n"] == rows["n"].max()]
        steps = sorted(
            (run for run in rows["run"].unique() if run.endswith("steps")), key=lambda run: int(run.split()[0])
        )
        looks = {"max margin": (BLUE, "-", "o"), "signal tokens": (VERMILLION, ":", "s")} | dict(
            zip(steps, LOOKS, strict=False)
        )
        for run, (colour, line, marker) in looks.items():
            _line(errors, rows[rows["run"] == run], run, color=colour, linestyle=line, marker=marker)
        errors.set(xscale="log", xlabel="signal ρ/√(d/n)", ylabel="test error", ylim=(-0.02, 0.56))
        _plain(errors, rows["at"].unique())
        errors.legend(loc="upper right", bbox_to_anchor=(1.03, 0.93))
        title(errors, "b", f"n = {rows['n'].max()}")
        _law(law, table)
    return figure


def _phase(figure, axes, table, flips):
    rows = table[(table["run"] == "max margin") & (table["quantity"] == "error")]
    signal = rows["at"] / np.sqrt(rows["n"])
    drawn = axes.scatter(
        rows["n"], signal, c=rows["value"], cmap="cividis", vmin=0, vmax=0.5, s=26, edgecolors=BLACK, linewidths=0.4
    )
    n = np.geomspace(rows["n"].min() / 1.25, rows["n"].max() * 1.25, 50)
    axes.plot(n, n**-0.5, color=GREY, linestyle="--", linewidth=0.9)
    axes.plot(n, np.sqrt(2.0 / ((1.0 - flips) * n)), color=VERMILLION)
    axes.set(xscale="log", yscale="log", xlabel="number of inputs n", ylabel="signal-to-noise ratio ρ/√d")
    _plain(axes, rows["n"].unique())
    figure.colorbar(drawn, ax=axes, label="test error", pad=0.02)
    title(axes, "a", "max margin")


def _law(axes, table):
    shares = sorted(table["flips"].unique())
    shown = (("threshold", BLUE, "o", "flips left out"), ("all counted", ORANGE, "s", "all inputs counted"))
    names = []
    for k, (flips, n) in enumerate((f, n) for f in shares for n in sorted(table[table["flips"] == f]["n"].unique())):
        names.append(f"{n}, {flips:g}")
        for quantity, colour, marker, label in shown:
            row = table[(table["flips"] == flips) & (table["n"] == n) & (table["quantity"] == quantity)]
            ends = [row["value"] - row["low"], row["high"] - row["value"]]
            axes.errorbar([k], row["value"], ends, color=colour, marker=marker, label=label if k == 0 else None)
    axes.axhline(1.0, color=GREY, linewidth=0.6)
    axes.set_xticks(range(len(names)), names, rotation=40, ha="right")
    axes.set(xlabel="n, η", ylabel="threshold over √(d/c)")
    axes.margins(y=0.25)
    axes.legend(loc="upper left")
    title(axes, "c", "its law")


def _line(axes, rows, label, **look):
    rows = rows.sort_values("at")
    axes.fill_between(rows["at"], rows["low"], rows["high"], color=look["color"], alpha=0.18, linewidth=0)
    axes.plot(rows["at"], rows["value"], label=label, **look)


def _plain(axes, ticks):
    axes.set_xticks(sorted(ticks), [f"{tick:g}" for tick in sorted(ticks)])
    axes.minorticks_off()
