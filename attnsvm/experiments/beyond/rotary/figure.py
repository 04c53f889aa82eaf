"""W on the way to the solution of its lifted tokens; and what rotation adds to what can be separated."""

from attnsvm.analysis.rows import where
from attnsvm.plots.panels import growing, key, panel
from attnsvm.plots.style import sheet

LOOKS = {F: growing(k) for k, F in enumerate((0, 1, 2, 4))}
NAMES = {0: "no positions", 1: "1 frequency", 2: "2 frequencies", 4: "4 frequencies"}


@sheet(height=0.46)
def draw(figure, table):
    """Draw from rows (d, F, room, seed, step, distance, reversed, ...) and shares (F, room, quantity, value, ...)."""
    ways, shares = figure.subplots(1, 2)
    widest = table[table["seed"].notna() & (table["d"] == table["d"].max())]
    for F, look in LOOKS.items():
        runs = widest[widest["F"] == F].groupby("step")
        ways.plot(runs["distance"].median(), **look | {"marker": ""}, label=NAMES[F])
        if F:
            ways.plot(runs["reversed"].median(), **look | {"marker": ""}, linestyle=":", linewidth=0.9)
        ends = where(table, quantity="separable", F=F)
        shares.plot(ends["room"], ends["value"], **look, linestyle="none", markersize=5)
    words = f"trained lifted $W$, d = {table['d'].max()}; dotted: other distances"
    panel(ways, "a", words, "xy", xlabel="step", ylabel="1 − correlation with the SVM")
    words = {"xlabel": "free parameters per constraint", "ylabel": "share separable"}
    panel(shares, "b", "random choices of tokens", "x", ylim=(-0.04, 1.04), **words)
    key(figure, ways, above=True, ncols=4)
