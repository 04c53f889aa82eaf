"""(K, Q) comes nearer to the nuclear solution in every instance, some of them slowly."""

from attnsvm.analysis.rows import where
from attnsvm.plots.style import BLUE, VERMILLION, sheet


@sheet(height=0.42)
def draw(figure, table):
    """Draw from rows (solution, quantity, seed, step, value, ...), those of single instances."""
    axes, runs = figure.subplots(), table[table["seed"].notna()]
    own, other = (
        where(runs, solution=norm).pivot(index="step", columns="seed", values="value") for norm in ("nuc", "fro")
    )
    axes.plot(own.index, own, color=BLUE, linewidth=0.4, alpha=0.5)
    axes.plot(own.index, own.median(axis=1), color=BLUE, linewidth=2, label="nuclear solution, median")
    axes.plot(own.index, own.quantile(0.95, axis=1), color=BLUE, linestyle="--", label="95 % quantile")
    axes.plot(other.index, other.median(axis=1), color=VERMILLION, linestyle=":", label="Frobenius solution, median")
    axes.set(xscale="log", yscale="log", xlabel="step", ylabel="1 − correlation with the solution")
    axes.legend(loc="lower left")
