"""The heads of each layer along training with their null models, and the accuracy of the network."""

from attnsvm.analysis.rows import where
from attnsvm.plots.panels import look, panel
from attnsvm.plots.style import BLACK, BLUE, GREEN, GREY, VERMILLION, bars, sheet

HOLLOW = {"markerfacecolor": "white"}
LOOKS = {
    "own": look(BLUE, "-", "o", "trained heads"),
    "random": look(VERMILLION, (0, (3.2, 1.4)), "s", "random heads of the same singular values", **HOLLOW),
    "permuted": look(GREY, (0, (1, 1.2)), "^", "permuted selections", **HOLLOW),
    "place": look(BLACK, (0, (1, 1.2)), "v", "most selected place", **HOLLOW),
}
ACCURACY = {"train": look(BLACK, "-", "D", "trained on"), "held_out": look(GREEN, "-", "P", "held out")}
ROWS = (
    ("alignment", "alignment", "cosine with the solution", ("own", "random", "permuted")),
    ("predicted", "held-out selection", "predicted on other images", ("own", "random", "place")),
)
LAYERS = (1, 2)
APART = 0.07  # between lines, so that intervals do not cover one another


@sheet(height=1.0)
def draw(figure, table):
    """Draw from rows (layer, quantity, step, value, low, high, instances)."""
    grid = figure.subplots(3, 2)
    letters = iter("abcd")
    for across, (name, title_of, words, kinds) in zip(grid, ROWS, strict=False):
        for axes, layer in zip(across, LAYERS, strict=True):
            for kind in kinds:
                quantity = "place_predicted_fro" if kind == "place" else f"{name}_{kind}_fro"
                line(axes, table, layer, quantity, LOOKS[kind], APART * ([*LOOKS].index(kind) - 1))
            least = -0.08 if name == "alignment" else 0
            panel(axes, next(letters), f"{title_of}, layer {layer}", ylim=(least, 1), ylabel=words)
    margins(grid[2, 0], table)
    for shift, (name, own) in zip((-APART, APART), ACCURACY.items(), strict=True):
        line(grid[2, 1], table, 0, name, own, shift)
    named = {"ylabel": "digits classified right", "ylim": (0, 1.03)}
    panel(grid[2, 1], "f", "accuracy of the network", legend="lower right", **named)
    steps = sorted(set(table["step"]))
    for axes in grid.flat:
        checkpoints(axes, steps)
    for axes in grid[2]:
        axes.set_xlabel("updates" if len(steps) > 2 else "checkpoint")
    found = dict(pair[::-1] for axes in grid[:2, 0] for pair in zip(*axes.get_legend_handles_labels(), strict=True))
    figure.legend(found.values(), found.keys(), loc="outside upper center", ncols=2)


def margins(axes, table):
    """Both layers' heads and random ones: the first layer's with thin, the second's with thick lines."""
    for layer, wide in zip(LAYERS, (0.6, 1.6), strict=True):
        for kind in ("own", "random"):
            place = 2 * (layer - 1.5) * APART * (1.5 if kind == "own" else 0.5)
            words = {"label": f"{'trained' if kind == 'own' else 'random'}, layer {layer}"}
            line(axes, table, layer, f"margin_{kind}_fro", LOOKS[kind] | words, place, wide)
    axes.axhline(1, color=GREY, linewidth=0.8)
    axes.text(0, 1.15, "a max-margin head", color=GREY, va="bottom")
    legend = {"loc": "center right", "bbox_to_anchor": (1, 0.72), "ncols": 2}
    panel(axes, "e", "margin of both layers", "y", legend, ylabel="margin over the largest", ylim=(None, 4))


def line(axes, table, layer, quantity, own, shift, wide=1.0):
    """Medians with their intervals; checkpoints are equally spaced, whatever lies between them."""
    steps = sorted(set(table["step"]))
    rows = where(table, layer=layer, quantity=quantity).sort_values("step")
    x = [steps.index(step) + shift for step in rows["step"]]
    axes.errorbar(x, rows["value"], bars(rows), linewidth=wide, elinewidth=0.7, **own)


def checkpoints(axes, steps):
    """Two are named, without ticks between which a mark beside its place could be read as another number."""
    if len(steps) > 2:
        axes.set_xticks(range(len(steps)), steps)
    else:
        axes.set_xticks(range(len(steps)), [f"after {step:,} updates" for step in steps])
        axes.set_xlim(-0.4, len(steps) - 0.6)
        axes.tick_params(axis="x", length=0)
        axes.grid(visible=False, axis="x")
