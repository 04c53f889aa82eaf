"""New inputs against training inputs: with the rule's labels, with flipped ones, on digits, and along training."""

from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from attnsvm.plots.style import BLACK, BLUE, GREEN, GREY, VERMILLION, band, bars, sheet, title

LOOKS = {
    "fro": ("Frobenius SVM", BLUE, "-", "o"),
    "nuc": ("nuclear SVM", VERMILLION, (0, (3.2, 1.4)), "s"),
    "W": ("$W$ trained", GREEN, "-.", "^"),
}
PANELS = {
    "gaussian_clean": "Gaussian tokens, labels by the rule",
    "gaussian_flipped": "Gaussian tokens, some labels flipped",
    "digits_flipped": "digits, some labels flipped",
}
WAYS = {
    "gaussian_clean": ("Gaussian, by the rule", BLUE, "-"),
    "gaussian_flipped": ("Gaussian, flipped", BLUE, (0, (3.2, 1.4))),
    "digits_clean": ("digits, by the rule", VERMILLION, "-"),
    "digits_flipped": ("digits, flipped", VERMILLION, (0, (3.2, 1.4))),
}


@sheet(height=0.72)
def draw(figure, table):
    """Draw from rows (variant, n, by, quantity, step, value, low, high, instances)."""
    axes = figure.subplots(2, 2, sharey=True).ravel()
    for panel, letter, (variant, name) in zip(axes, "abc", PANELS.items(), strict=False):
        _sizes(panel, table[table["variant"] == variant])
        title(panel, letter, name)
    _along(axes[3], table)
    title(axes[3], "d", "along training")
    for panel in (axes[0], axes[2]):
        panel.set(ylabel="share of inputs or instances")
    axes[0].set(ylim=(-0.03, 1.05))
    lines = [
        Line2D([], [], color=colour, linestyle=line, marker=mark, label=f"{name}: new inputs")
        for name, colour, line, mark in LOOKS.values()
    ]
    lines.append(Line2D([], [], color=BLACK, marker="D", label="SVM fits all training inputs"))
    lines.append(Line2D([], [], color=GREY, linestyle=":", label="token at random"))
    lines.append(Patch(color="0.8", label="95 % interval"))
    figure.legend(handles=lines, loc="outside lower center", ncols=3)


def _sizes(axes, rows) -> None:
    fits = rows[rows["quantity"] == "separable"]
    band(axes, fits, "n", alpha=0.1, color=BLACK, marker="D")
    new = rows[rows["quantity"] == "held_out"]
    for by, (_, colour, line, mark) in LOOKS.items():
        own = new[new["by"] == by]
        last = own[own["step"] == own["step"].max()].sort_values("n")
        axes.errorbar(last["n"], last["value"], bars(last), color=colour, linestyle=line, marker=mark)
    chance = new[new["by"] == "chance"]
    axes.plot(chance["n"], chance["value"], color=GREY, linestyle=":")
    axes.set_xscale("log", base=2)
    axes.set_xticks(sorted(fits["n"]), [str(n) for n in sorted(fits["n"])])
    axes.set(xlabel="training inputs, n")


def _along(axes, table) -> None:
    fitted = table[table["quantity"] == "fitted"].set_index("variant")["n"]
    for variant, (name, colour, line) in WAYS.items():
        flipped = f"{variant.split('_')[0]}_flipped"
        if flipped not in fitted.index:
            continue
        rows = table[(table["variant"] == variant) & (table["n"] == fitted[flipped]) & (table["by"] == "W")]
        rows = rows[rows["quantity"] == "held_out"].sort_values("step")
        label = f"{name} (n = {fitted[flipped]})"
        band(axes, rows, "step", alpha=0.15, color=colour, linestyle=line, label=label)
    axes.set(xscale="log", xlabel="step")
    axes.legend(loc="upper left", title="$W$ trained: new inputs")
