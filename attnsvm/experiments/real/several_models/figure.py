"""One panel for each control: the share of heads that pass it, by depth, a line for each model."""

from attnsvm.plots.style import BLACK, BLUE, GREEN, ORANGE, PURPLE, SKY, VERMILLION, sheet, title

PANELS = {
    "aligned, random": "aligned, above random heads",
    "aligned, permuted": "aligned, above permuted",
    "predicted, random": "predicted, above random heads",
    "predicted, permuted": "predicted, above permuted",
    "predicted, rule": "predicted, above rules",
    "predicted, mismatched": "predicted, above mismatched",
}
LOOKS = tuple(zip((BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY), ("o", "^", "s", "D", "v", "P"), strict=True))
PARTS, CHANCE, APART = 6, 0.5, 0.08


@sheet(height=0.62)
def draw(figure, table):
    """Draw from rows (part, model, layer, head, depth, control, value, low, high, instances)."""
    panels = figure.subplots(2, 3, sharex=True, sharey=True)
    rows = table[(table["part"] == "share") & table["depth"].notna()]
    models = list(dict.fromkeys(rows["model"]))
    for letter, axes, (control, words) in zip("abcdef", panels.ravel(), PANELS.items(), strict=True):
        axes.axhline(CHANCE, color=BLACK, linestyle=":", linewidth=0.8)
        for k, model in enumerate(models):
            own = rows[(rows["control"] == control) & (rows["model"] == model)].sort_values("depth")
            colour, marker = LOOKS[k % len(LOOKS)]
            x = own["depth"].astype(float) + 1 + APART * (k - (len(models) - 1) / 2)
            axes.plot(x, own["value"], color=colour, marker=marker, label=model)
            axes.vlines(x, own["low"], own["high"], color=colour, linewidth=0.8)
        title(axes, letter, words)
    panels[0, 0].set(ylim=(-0.03, 1.03), xticks=range(1, PARTS + 1))
    for axes in panels[1]:
        axes.set_xlabel("sixth of the depth")
    for axes in panels[:, 0]:
        axes.set_ylabel("share of heads")
    handles, texts = panels[0, 0].get_legend_handles_labels()
    figure.legend(handles, texts, loc="outside upper center", ncols=len(texts))
