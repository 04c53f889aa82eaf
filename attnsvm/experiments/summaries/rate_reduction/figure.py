"""Accuracy and selection, coding rates before and after attention, alignment with its null models."""

from attnsvm.analysis.rows import where
from attnsvm.plots.panels import key, panel, point
from attnsvm.plots.style import BLUE, GREEN, GREY, VERMILLION, band, sheet

LAYERS = {"plain": ("plain attention", BLUE), "crate": ("CRATE", VERMILLION)}
RATES = {"selected": ("selected tokens", GREEN), "chance": ("random tokens", GREY)}
KINDS = {"own": ("trained head", "o"), "random": ("random head", "s"), "symmetric": ("symmetric random head", "^")}


@sheet(height=0.76)
def draw(figure, table):
    """Draw from rows (layer, quantity, step, value, low, high, instances)."""
    (learned, plain), (crate, aligned) = figure.subplots(2, 2)
    for layer, (_, colour) in LAYERS.items():
        for quantity, dashes in (("accuracy", "-"), ("peak", "--")):
            _way(learned, table, layer, quantity, colour, dashes)
    learned.plot([], [], color=GREY, label="accuracy")
    learned.plot([], [], color=GREY, linestyle="--", label="largest probability")
    legend, words = {"loc": "center left", "bbox_to_anchor": (0, 0.28)}, "accuracy, and the softmax"
    panel(learned, "a", words, "x", legend, xlabel="step", ylabel="share", ylim=(0, 1.03))
    for axes, letter, (layer, (name, _)) in zip((plain, crate), "bc", LAYERS.items(), strict=True):
        _rates(axes, table, layer)
        panel(axes, letter, f"{name}: rate of tokens", "x", xlabel="step", ylabel="coding rate (nats)")
    crate.sharey(plain)
    plain.set_ylim(bottom=0)
    plain.legend(loc="lower left", ncols=2)
    _alignment(aligned, table)
    for name, colour in LAYERS.values():
        aligned.plot([], [], color=colour, label=name)
    for kind, (label, marker) in KINDS.items():
        face = GREY if kind == "own" else "white"
        aligned.plot([], [], marker, color=GREY, markerfacecolor=face, label=label)
    key(figure, aligned, f"means, 95 % intervals over {int(table['instances'].max())} seeds", ncols=5)


def _way(axes, table, layer, quantity, colour, dashes, label=None) -> None:
    rows = where(table, layer=layer, quantity=quantity).sort_values("step")
    band(axes, rows, "step", alpha=0.15, color=colour, linestyle=dashes, label=label)


def _rates(axes, table, layer) -> None:
    for rate, (label, colour) in RATES.items():
        _way(axes, table, layer, f"rate_{rate}", colour, "-", label)
        _way(axes, table, layer, f"rate_after_{rate}", colour, "--")
    for row in where(table, layer=layer, quantity="rate_random").sort_values("step").to_dict("records")[-1:]:
        point(axes, row["step"], row, GREEN, KINDS["random"][1], filled=False)
    axes.plot([], [], color="0.2", label="before attention")
    axes.plot([], [], color="0.2", linestyle="--", label="after it")


def _alignment(axes, table) -> None:
    ends = table.sort_values("step").groupby(["layer", "quantity"]).last()
    for k, (layer, (_, colour)) in enumerate(LAYERS.items()):
        for j, (kind, (_, marker)) in enumerate(KINDS.items()):
            for place, quantity in enumerate(("alignment", "predicted")):
                if (layer, f"{quantity}_{kind}") in ends.index:
                    row = ends.loc[(layer, f"{quantity}_{kind}")]
                    point(axes, place + 0.36 * (k - 0.5) + 0.1 * (j - 1), row, colour, marker, kind == "own")
    axes.set_xticks((0, 1), ("cosine with its SVM", "new selections it predicts"))
    words = {"xlabel": "of a head after training", "ylabel": "cosine, share"}
    panel(axes, "d", "a head and the SVM of what it selects", xlim=(-0.5, 1.5), ylim=(0, 1.03), **words)
