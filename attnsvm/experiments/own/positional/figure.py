"""Sinusoidal positions added to the tokens: the margin that is left, and whether W still goes to the SVM solution."""

from attnsvm.plots.panels import key, look, panel
from attnsvm.plots.style import GREEN, GREY, PURPLE, sheet

LOOKS = {
    "plain": look(GREY, "-", "o", "without positions"),
    "encoded": look(PURPLE, "--", "s", "with positions, token lengths kept"),
    "added": look(GREEN, "-.", "^", "with positions, token lengths grown"),
}


@sheet(height=0.42)
def draw(figure, table):
    """Draw from rows (tokens, quantity, seed, value, ...), those of single instances."""
    runs = table[table["seed"].notna()]
    wide = runs.pivot(index=["seed", "quantity"], columns="tokens", values="value").unstack("quantity")
    margins, correlations = figure.subplots(1, 2)
    margin = {name: 1 / wide[name]["norm"] for name in LOOKS}
    top = max(1.05 * values.max() for values in margin.values())
    for name in ("encoded", "added"):
        own = LOOKS[name] | {"linestyle": "none"}
        margins.plot(margin["plain"], margin[name], **own, markersize=3, alpha=0.6)
    margins.plot([0, top], [0, top], color=GREY, linewidth=0.8, linestyle=":")
    words = {"xlabel": "margin without positions", "ylabel": "margin with positions"}
    said = r"margin $1/\|W_{\mathrm{mm}}\|_F$ of one choice of tokens"
    panel(margins, "a", said, xlim=(0, top), ylim=(0, top), **words)
    for name, own in LOOKS.items():
        gaps = (1 - wide[name]["correlation"]).dropna().sort_values()
        share = [(k + 1) / len(gaps) for k in range(len(gaps))]
        correlations.plot(gaps, share, **own | {"marker": ""})
    words = {"xlabel": "1 − correlation with the SVM solution", "ylabel": "share of instances"}
    panel(correlations, "b", f"trained $W$, {len(wide)} instances", "x", **words)
    key(figure, correlations, above=True, ncols=3)
