"""Sinusoidal positions added to the tokens: the margin that is left, and whether W still goes to the SVM solution."""

from attnsvm.plots.style import GREEN, GREY, PURPLE, sheet, title

LOOKS = {
    "plain": ("without positions", {"color": GREY, "linestyle": "-", "marker": "o"}),
    "encoded": ("with positions, token lengths kept", {"color": PURPLE, "linestyle": "--", "marker": "s"}),
    "added": ("with positions, token lengths grown", {"color": GREEN, "linestyle": "-.", "marker": "^"}),
}


@sheet(height=0.42)
def draw(figure, table):
    """Draw from rows (tokens, quantity, seed, value, ...), those of single instances."""
    wide = (
        table[table["seed"].notna()]
        .pivot(index=["seed", "quantity"], columns="tokens", values="value")
        .unstack("quantity")
    )
    margins, correlations = figure.subplots(1, 2)
    plain = 1 / wide["plain"]["norm"]
    top = 0.0
    for name in ("encoded", "added"):
        label, look = LOOKS[name]
        other = 1 / wide[name]["norm"]
        margins.plot(plain, other, **look | {"linestyle": "none"}, markersize=3, alpha=0.6, label=label)
        top = max(top, 1.05 * plain.max(), 1.05 * other.max())
    margins.plot([0, top], [0, top], color=GREY, linewidth=0.8, linestyle=":")
    margins.set(xlabel="margin without positions", ylabel="margin with positions", xlim=(0, top), ylim=(0, top))
    title(margins, "a", r"margin $1/\|W_{\mathrm{mm}}\|_F$ of one choice of tokens")
    for name, (label, look) in LOOKS.items():
        gaps = (1 - wide[name]["correlation"]).dropna().sort_values()
        share = [(k + 1) / len(gaps) for k in range(len(gaps))]
        correlations.plot(gaps, share, **look | {"marker": ""}, label=label)
    correlations.set(xscale="log", xlabel="1 − correlation with the SVM solution", ylabel="share of instances")
    title(correlations, "b", f"trained $W$, {len(wide)} instances")
    figure.legend(*correlations.get_legend_handles_labels(), loc="outside upper center", ncols=3)
