"""Sinusoidal positions added to the tokens: the margin that is left, and whether W still goes to the SVM solution."""

from attnsvm.plots.style import BLUE, GREY, VERMILLION, canvas, title

LOOKS = {"plain": (BLUE, "without positions"), "encoded": (VERMILLION, "with positions")}


def draw(table, settings):
    """Draw from rows (tokens, quantity, seed, value)."""
    wide = table.pivot(index=["seed", "quantity"], columns="tokens", values="value").unstack("quantity")
    with canvas(settings, height=0.42) as figure:
        margins, correlations = figure.subplots(1, 2)
        plain, encoded = 1 / wide["plain"]["norm"], 1 / wide["encoded"]["norm"]
        margins.plot(plain, encoded, "o", color=BLUE, markersize=3, alpha=0.6, markeredgewidth=0)
        top = 1.05 * max(plain.max(), encoded.max())
        margins.plot([0, top], [0, top], color=GREY, linewidth=0.8, linestyle="--", label="equal margins")
        margins.set(xlabel="margin without positions", ylabel="margin with positions", xlim=(0, top), ylim=(0, top))
        margins.legend(loc="upper left")
        title(margins, "a", r"margin $1/\|W^{\mathrm{mm}}\|_F$ of one choice of tokens")
        for name, (colour, label) in LOOKS.items():
            gaps = (1 - wide[name]["correlation"]).dropna().sort_values()
            share = [(k + 1) / len(gaps) for k in range(len(gaps))]
            correlations.plot(gaps, share, color=colour, linestyle="-" if name == "plain" else "--", label=label)
        correlations.set(xscale="log", xlabel="1 − correlation with the SVM solution", ylabel="share of instances")
        correlations.legend(loc="lower right")
        title(correlations, "b", f"trained $W$, {len(wide)} instances")
    return figure
