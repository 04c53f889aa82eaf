"""The distance of (K, Q) from the nuclear solution along training, with separate norms and with one."""

from attnsvm.analysis.rows import where
from attnsvm.plots.panels import panel
from attnsvm.plots.style import BLACK, SKY, VERMILLION, sheet

PANELS = {"separate": "own norms", "joint": "one norm"}


@sheet(height=0.4)
def draw(figure, table):
    """Draw from rows (normalisation, quantity, seed, step, value, ...), those of single instances."""
    runs, before = table[table["seed"].notna()], table[table["seed"].isna()]["step"].min()
    row = figure.subplots(1, len(PANELS), sharex=True, sharey=True)
    for axes, letter, (rule, name) in zip(row, "ab", PANELS.items(), strict=True):
        wide = where(runs, normalisation=rule).pivot(index="step", columns="seed", values="value")
        nearer = wide.iloc[-1] < wide.loc[before]
        for colour, own in ((SKY, wide.loc[:, nearer]), (VERMILLION, wide.loc[:, ~nearer])):
            axes.plot(own, color=colour, linewidth=0.6, alpha=0.8)
        axes.plot(wide.median(axis=1), color=BLACK, label="median")
        axes.plot(wide.quantile(0.95, axis=1), color=BLACK, linestyle="--", label="95 % quantile")
        words = f"{name}: {nearer.sum()} of {len(nearer)} nearer than at step {before:,}"
        panel(axes, letter, words, "xy", xlabel="step")
    row[0].set(ylabel="1 − correlation with the nuclear solution")
    row[0].legend(loc="lower left")
