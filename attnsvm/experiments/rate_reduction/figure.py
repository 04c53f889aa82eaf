"""Accuracy and selection, coding rates before and after attention, alignment beside its nulls."""

from attnsvm.plots.style import BLUE, GREEN, GREY, ORANGE, VERMILLION, canvas, title

LAYERS = {"plain": ("plain attention", BLUE), "crate": ("CRATE", VERMILLION)}
RATES = {"selected": ("selected", GREEN), "chance": ("random", GREY), "all": ("all", ORANGE)}
KINDS = {"own": ("trained head", "o"), "random": ("random head", "s"), "symmetric": ("symmetric random head", "^")}


def draw(table, settings):
    """Draw from rows (layer, quantity, step, value, low, high, instances)."""
    with canvas(settings, height=0.72) as figure:
        (learned, plain), (aligned, crate) = figure.subplots(2, 2)
        for layer, (name, colour) in LAYERS.items():
            _way(learned, table, layer, "accuracy", f"{name}: accuracy", colour, "-")
            _way(learned, table, layer, "peak", f"{name}: largest probability", colour, "--")
        learned.set(xscale="log", xlabel="step", ylabel="share", ylim=(0, 1.03))
        learned.legend(loc="lower right")
        title(learned, "a", "accuracy, and the softmax")
        for axes, letter, (layer, (name, _)) in zip((plain, crate), "bc", LAYERS.items(), strict=True):
            for rate, (label, colour) in RATES.items():
                _way(axes, table, layer, f"rate_{rate}", f"{label}, before", colour, "-")
                _way(axes, table, layer, f"rate_after_{rate}", f"{label}, after", colour, "--")
            axes.set(xscale="log", xlabel="step", ylabel="coding rate (nats)")
            axes.legend(loc="lower left", ncols=3, columnspacing=0.8)
            title(axes, letter, f"{name}: rate of tokens")
        crate.sharey(plain)
        plain.set_ylim(bottom=0)
        _alignment(aligned, table)
    return figure


def _rows(table, layer: str, quantity: str):
    return table[(table["layer"] == layer) & (table["quantity"] == quantity)].sort_values("step")


def _way(axes, table, layer, quantity, label, colour, dashes) -> None:
    rows = _rows(table, layer, quantity)
    axes.fill_between(rows["step"], rows["low"], rows["high"], color=colour, alpha=0.15, linewidth=0)
    axes.plot(rows["step"], rows["value"], color=colour, linestyle=dashes, label=label)


def _alignment(axes, table) -> None:
    for k, (layer, (_, colour)) in enumerate(LAYERS.items()):
        for j, (kind, (_, marker)) in enumerate(KINDS.items()):
            for place, quantity in enumerate(("alignment", "predicted")):
                rows = _rows(table, layer, f"{quantity}_{kind}")
                if rows.empty:
                    continue
                row = rows.iloc[-1]
                bars = [[row["value"] - row["low"]], [row["high"] - row["value"]]]
                at, face = place + 0.36 * (k - 0.5) + 0.1 * (j - 1), colour if kind == "own" else "white"
                axes.errorbar([at], [row["value"]], yerr=bars, color=colour, fmt=marker, markerfacecolor=face)
    for kind, (label, marker) in KINDS.items():
        face = GREY if kind == "own" else "white"
        axes.plot([], [], marker, color=GREY, markerfacecolor=face, label=label)
    for name, colour in LAYERS.values():
        axes.plot([], [], color=colour, label=name)
    axes.set_xticks((0, 1), ("cosine with\nits SVM", "held-out selections\npredicted by it"))
    axes.set(xlim=(-0.6, 1.6), ylim=(0, 1.03), ylabel="cosine, share")
    axes.legend(loc="lower center", ncols=2)
    title(axes, "d", "a head and the SVM of what it selects")
