"""The heads of each layer along training with their null models, and the accuracy of the network."""

from attnsvm.plots.style import BLACK, BLUE, GREEN, GREY, VERMILLION, bars, sheet, title

LOOKS = {  # colour, marker, line, whether hollow, words
    "own": (BLUE, "o", "-", False, "trained heads"),
    "random": (VERMILLION, "s", (0, (3.2, 1.4)), True, "random heads of the same singular values"),
    "permuted": (GREY, "^", (0, (1, 1.2)), True, "permuted selections"),
    "place": (BLACK, "v", (0, (1, 1.2)), True, "most selected place"),
}
ROWS = (
    ("alignment", "alignment", "cosine with the solution", {"own", "random", "permuted"}),
    ("predicted", "held-out selection", "predicted on other images", {"own", "random", "place"}),
)
LAYERS = (1, 2)
APART = 0.07  # between lines, so that intervals do not cover one another


@sheet(height=1.0)
def draw(figure, table):
    """Draw from rows (layer, quantity, step, value, low, high, instances)."""
    grid = figure.subplots(3, 2)
    letters = iter("abcdef")
    for across, (name, title_of, words, kinds) in zip(grid, ROWS, strict=False):
        for axes, layer in zip(across, LAYERS, strict=True):
            for kind in kinds_in_order(kinds):
                quantity = "place_predicted_fro" if kind == "place" else f"{name}_{kind}_fro"
                line(axes, table, layer, quantity, LOOKS[kind])
            axes.set(ylim=(-0.08 if name == "alignment" else 0, 1), ylabel=words)
            title(axes, next(letters), f"{title_of}, layer {layer}")
    margins(grid[2, 0], table)
    title(grid[2, 0], next(letters), "margin of both layers")
    for shift, name, colour, marker, words in (
        (-APART, "train", BLACK, "D", "trained on"),
        (APART, "held_out", GREEN, "P", "held out"),
    ):
        line(grid[2, 1], table, 0, name, (colour, marker, "-", False, words), shift)
    grid[2, 1].set(ylabel="digits classified right", ylim=(0, 1.03))
    grid[2, 1].legend(loc="lower right")
    title(grid[2, 1], next(letters), "accuracy of the network")
    steps = sorted(set(table["step"]))
    for axes in grid.flat:
        checkpoints(axes, steps)
    for axes in grid[2]:
        axes.set_xlabel("updates" if len(steps) > 2 else "checkpoint")
    found = dict(pair[::-1] for axes in grid[:2, 0] for pair in zip(*axes.get_legend_handles_labels(), strict=True))
    figure.legend(found.values(), found.keys(), loc="outside upper center", ncols=2)


def kinds_in_order(kinds):
    return [kind for kind in LOOKS if kind in kinds]


def margins(axes, table):
    """Both layers' heads and random ones: the first layer's with thin, the second's with thick lines."""
    for layer, wide in zip(LAYERS, (0.6, 1.6), strict=True):
        for kind in ("own", "random"):
            *look, _ = LOOKS[kind]
            place = 2 * (layer - 1.5) * APART * (1.5 if kind == "own" else 0.5)
            words = f"{'trained' if kind == 'own' else 'random'}, layer {layer}"
            line(axes, table, layer, f"margin_{kind}_fro", (*look, words), place, wide)
    axes.axhline(1, color=GREY, linewidth=0.8)
    axes.text(0, 1.15, "a max-margin head", color=GREY, va="bottom")
    axes.set(yscale="log", ylabel="margin over the largest", ylim=(None, 4))
    axes.legend(loc="center right", bbox_to_anchor=(1, 0.72), ncols=2)


def line(axes, table, layer, quantity, look, shift=None, wide=1.0):
    """Medians with their intervals; checkpoints are equally spaced, whatever lies between them."""
    colour, marker, dashes, hollow, words = look
    steps = sorted(set(table["step"]))
    rows = table[(table["layer"] == layer) & (table["quantity"] == quantity)].sort_values("step")
    shift = APART * (list(LOOKS.values()).index(look) - 1) if shift is None else shift
    x = [steps.index(step) + shift for step in rows["step"]]
    style = {"color": colour, "marker": marker, "linestyle": dashes, "linewidth": wide, "elinewidth": 0.7}
    style |= {"markerfacecolor": "white"} if hollow else {}
    axes.errorbar(x, rows["value"], bars(rows), label=words, **style)


def checkpoints(axes, steps):
    """Two are named, without ticks between which a mark beside its place could be read as another number."""
    if len(steps) > 2:
        axes.set_xticks(range(len(steps)), steps)
    else:
        axes.set_xticks(range(len(steps)), [f"after {step:,} updates" for step in steps])
        axes.set_xlim(-0.4, len(steps) - 0.6)
        axes.tick_params(axis="x", length=0)
        axes.grid(visible=False, axis="x")
