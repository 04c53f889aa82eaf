"""The distance of (K, Q) from the nuclear solution along training, with separate norms and with one."""

from attnsvm.analysis.rows import where
from attnsvm.plots.style import BLACK, GREEN, VERMILLION, sheet, title

PANELS = {"separate": ("each gradient by its own norm", VERMILLION), "joint": ("one norm for both", GREEN)}


@sheet(height=0.4)
def draw(figure, table):
    """Draw from rows (normalisation, quantity, seed, step, value, ...), those of single instances."""
    runs = table[table["seed"].notna()]
    row = figure.subplots(1, len(PANELS), sharex=True, sharey=True)
    for axes, letter, (rule, (name, colour)) in zip(row, "ab", PANELS.items(), strict=True):
        wide = where(runs, normalisation=rule).pivot(index="step", columns="seed", values="value")
        axes.plot(wide, color=colour, linewidth=0.5, alpha=0.5)
        axes.plot(wide.median(axis=1), color=BLACK, label="median")
        axes.plot(wide.quantile(0.95, axis=1), color=BLACK, linestyle="--", label="95 % quantile")
        axes.set(xscale="log", yscale="log", xlabel="step")
        title(axes, letter, f"{name}, {wide.shape[1]} instances")
    row[0].set(ylabel="1 − correlation with the nuclear solution")
    row[0].legend(loc="lower left")
