"""How often flipped labels have a solution, and what clean ones teach, against the constraints per entry of W."""

from attnsvm.plots.style import BLUE, VERMILLION, bars, sheet

TOKENS = {"gaussian": ("Gaussian tokens", BLUE, "o"), "digits": ("digits", VERMILLION, "s")}
QUANTITIES = {
    "separable": ("flipped labels separable", "-", None),
    "held_out": ("new inputs right, clean labels", ":", "white"),
}


@sheet(height=0.42)
def draw(figure, table):
    """Draw from rows (tokens, n, ratio, quantity, value, low, high, instances)."""
    axes = figure.subplots()
    for quantity, (words, line, face) in QUANTITIES.items():
        for tokens, (name, colour, marker) in TOKENS.items():
            rows = table[(table["tokens"] == tokens) & (table["quantity"] == quantity)].sort_values("ratio")
            look = {"color": colour, "marker": marker, "linestyle": line, "label": f"{name}: {words}"}
            axes.errorbar(
                rows["ratio"], rows["value"], yerr=bars(rows), **look, **({"markerfacecolor": face} if face else {})
            )
    axes.set(xlabel="constraints per entry of $W$, $n(T-1)/d^2$", ylabel="share", ylim=(-0.03, 1.03))
    axes.legend(loc="upper right")
