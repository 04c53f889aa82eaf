"""Flipped labels are fitted at every signal; errors on new inputs grow by it where the signal is short."""

from attnsvm.plots.style import BLACK, MARKERS, SIZES, band, sheet, title

PANELS = (
    ("flips fitted", "share of flips fitted", "flips are fitted"),
    ("error", "test error", "harm if μ is short"),
    ("signal", "relevant token's probability", "selection"),
)


@sheet(height=0.46)
def draw(figure, table):
    """Draw from rows (run, size, multiple, quantity, at, value, low, high, largest, instances)."""
    longer = sorted(table[table["run"] == "longer"]["size"].unique())
    runs = [("longer", size, colour) for size, colour in zip(longer, SIZES, strict=False)]
    runs += [("published", size, BLACK) for size in table[table["run"] == "published"]["size"].unique()]
    for axes, letter, (quantity, label, words) in zip(figure.subplots(1, 3), "abc", PANELS, strict=True):
        for (run, size, colour), marker in zip(runs, MARKERS, strict=False):
            rows = table[(table["run"] == run) & (table["size"] == size) & (table["quantity"] == quantity)]
            rows = rows[rows["at"] > 0].sort_values("at")
            name = f"‖μ‖ = {size:g}" + (
                ", as published" if run == "published" else f" = {rows['multiple'].max():g} √(d/n)"
            )
            band(axes, rows, "at", color=colour, marker=marker, label=name)
        axes.set(xscale="log", xlabel="published steps", ylabel=label)
        title(axes, letter, words)
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=3)
