"""Where overfitting is benign over n and signal, descent beside the max-margin solution, and the threshold's law."""

import numpy as np

from attnsvm.analysis.rows import where
from attnsvm.plots.style import BLACK, BLUE, GREEN, GREY, ORANGE, VERMILLION, band, bars, sheet, title

LOOKS = ((ORANGE, "--", "^"), (GREEN, "-.", "D"))  # of descent: after two steps, after all


@sheet(height=0.48)
def draw(figure, table):
    """Draw from rows (n, flips, run, quantity, at, value, low, high, smallest, largest, instances)."""
    phase, errors, law = figure.subplots(1, 3, width_ratios=(1.0, 1.0, 0.85))
    few = table["flips"].min()
    _phase(figure, phase, table[table["flips"] == few], few)
    rows = where(table, flips=few, quantity="error")
    rows = where(rows, n=rows["n"].max())
    runs = [run for run in rows["run"].unique() if run.endswith("steps")]
    steps = sorted(runs, key=lambda run: int(run.split()[0]))
    looks = {"max margin": (BLUE, "-", "o"), "signal tokens": (VERMILLION, ":", "s")}
    for run, (colour, line, marker) in (looks | dict(zip(steps, LOOKS, strict=False))).items():
        look = {"color": colour, "linestyle": line, "marker": marker}
        band(errors, where(rows, run=run).sort_values("at"), "at", label=run, **look)
    errors.axvline(np.sqrt(2.0 / (1.0 - few)), color=GREY, linewidth=0.7)
    errors.set(xlabel="signal ρ/√(d/n)", ylabel="test error", ylim=(-0.02, 0.53))
    title(errors, "b", f"descent, n = {rows['n'].max()}")
    _law(law, table)
    handles, labels = phase.get_legend_handles_labels()
    for handle, label in zip(*errors.get_legend_handles_labels(), strict=True):
        handles.append(handle)
        labels.append(f"(b) {label}")
    figure.legend(handles, labels, loc="outside lower center", ncols=3)


def _phase(figure, axes, table, flips):
    rows = where(table, run="max margin", quantity="error")
    signal, look = rows["at"] / np.sqrt(rows["n"]), {"cmap": "cividis", "edgecolors": BLACK, "linewidths": 0.4}
    drawn = axes.scatter(rows["n"], signal, c=rows["value"], vmin=0, vmax=0.5, s=26, **look)
    n = np.geomspace(rows["n"].min() / 1.25, rows["n"].max() * 1.25, 50)
    axes.plot(n, n**-0.5, color=GREY, linestyle="--", linewidth=0.9, label="(a) printed scale")
    axes.plot(n, np.sqrt(2.0 / ((1.0 - flips) * n)), color=VERMILLION, label="(a) our law")
    axes.set(xscale="log", yscale="log", xlabel="number of inputs n", ylabel="signal to noise, ρ/√d")
    axes.set_xticks(sorted(rows["n"].unique()), [f"{tick:g}" for tick in sorted(rows["n"].unique())])
    ticks = [tick for tick in (0.02, 0.05, 0.1, 0.2, 0.5) if signal.min() <= tick <= signal.max()]
    axes.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()
    figure.colorbar(drawn, ax=axes, pad=0.02).ax.set_xlabel("error", labelpad=9)
    title(axes, "a", "max margin: a threshold")


def _law(axes, table):
    shares = sorted(table["flips"].unique())
    shown = (("threshold", BLUE, "o", "flips left out"), ("all counted", ORANGE, "s", "all inputs counted"))
    names = []
    for k, (flips, n) in enumerate((f, n) for f in shares for n in sorted(table[table["flips"] == f]["n"].unique())):
        names.append(f"{n}, {flips:g}")
        for quantity, colour, marker, label in shown:
            row = where(table, flips=flips, n=n, quantity=quantity)
            axes.errorbar([k], row["value"], bars(row), color=colour, marker=marker, label=label if k == 0 else None)
    axes.axhline(1.0, color=GREY, linewidth=0.6)
    axes.set_xticks(range(len(names)), names, rotation=40, ha="right")
    axes.set(xlabel="n, η", ylabel="signal over √(d/c)")
    axes.margins(y=0.25)
    axes.legend(loc="upper left")
    title(axes, "c", "its law")
