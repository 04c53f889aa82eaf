"""Accuracy and selection, coding rates before and after attention, alignment with its null models."""

from attnsvm.analysis.rows import where
from attnsvm.plots.style import BLUE, GREEN, GREY, VERMILLION, band, bars, sheet, title

LAYERS = {"plain": ("plain attention", BLUE), "crate": ("CRATE", VERMILLION)}
RATES = {"selected": ("selected tokens", GREEN), "chance": ("random tokens", GREY)}
KINDS = {"own": ("trained head", "o"), "random": ("random head", "s"), "symmetric": ("symmetric random head", "^")}


@sheet(height=0.76)
def draw(figure, table):
    """Draw from rows (layer, quantity, step, value, low, high, instances)."""
    (learned, plain), (crate, aligned) = figure.subplots(2, 2)
    for layer, (_, colour) in LAYERS.items():
        _way(learned, table, layer, "accuracy", colour, "-")
        _way(learned, table, layer, "peak", colour, "--")
    learned.plot([], [], color=GREY, label="accuracy")
    learned.plot([], [], color=GREY, linestyle="--", label="largest probability")
    learned.set(xscale="log", xlabel="step", ylabel="share", ylim=(0, 1.03))
    learned.legend(loc="center left", bbox_to_anchor=(0, 0.28))
    title(learned, "a", "accuracy, and the softmax")
    for axes, letter, (layer, (name, _)) in zip((plain, crate), "bc", LAYERS.items(), strict=True):
        _rates(axes, table, layer)
        title(axes, letter, f"{name}: rate of tokens")
    crate.sharey(plain)
    plain.set_ylim(bottom=0)
    plain.legend(loc="lower left", ncols=2)
    _alignment(aligned, table)
    handles = [aligned.plot([], [], color=colour, label=name)[0] for name, colour in LAYERS.values()]
    for kind, (label, marker) in KINDS.items():
        face = GREY if kind == "own" else "white"
        handles += aligned.plot([], [], marker, color=GREY, markerfacecolor=face, label=label)
    count = int(table["instances"].max())
    figure.legend(
        handles=handles, loc="outside lower center", ncols=5, title=f"means, 95 % intervals over {count} seeds"
    )


def _way(axes, table, layer, quantity, colour, dashes, label=None) -> None:
    rows = where(table, layer=layer, quantity=quantity).sort_values("step")
    band(axes, rows, "step", alpha=0.15, color=colour, linestyle=dashes, label=label)


def _rates(axes, table, layer) -> None:
    for rate, (label, colour) in RATES.items():
        _way(axes, table, layer, f"rate_{rate}", colour, "-", label)
        _way(axes, table, layer, f"rate_after_{rate}", colour, "--")
    null = where(table, layer=layer, quantity="rate_random").sort_values("step")
    if len(null):
        _point(axes, null.iloc[-1]["step"], null.iloc[-1], GREEN, KINDS["random"][1], "white")
    axes.plot([], [], color="0.2", label="before attention")
    axes.plot([], [], color="0.2", linestyle="--", label="after it")
    axes.set(xscale="log", xlabel="step", ylabel="coding rate (nats)")


def _point(axes, x, row, colour, marker, face) -> None:
    axes.errorbar([x], [row["value"]], bars(row), color=colour, fmt=marker, markerfacecolor=face)


def _alignment(axes, table) -> None:
    for k, (layer, (_, colour)) in enumerate(LAYERS.items()):
        for j, (kind, (_, marker)) in enumerate(KINDS.items()):
            for place, quantity in enumerate(("alignment", "predicted")):
                rows = where(table, layer=layer, quantity=f"{quantity}_{kind}").sort_values("step")
                if len(rows):
                    at, face = place + 0.36 * (k - 0.5) + 0.1 * (j - 1), colour if kind == "own" else "white"
                    _point(axes, at, rows.iloc[-1], colour, marker, face)
    axes.set_xticks((0, 1), ("cosine with its SVM", "new selections it predicts"))
    axes.set(xlim=(-0.5, 1.5), ylim=(0, 1.03), xlabel="of a head after training", ylabel="cosine, share")
    title(axes, "d", "a head and the SVM of what it selects")
