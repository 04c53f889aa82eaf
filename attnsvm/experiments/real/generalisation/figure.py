"""New inputs against training inputs: with the rule's labels, with flipped ones, on digits, and along training."""

from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from attnsvm.analysis.rows import last, where
from attnsvm.plots.panels import look, ticks
from attnsvm.plots.style import BLACK, BLUE, GREEN, GREY, VERMILLION, band, bars, sheet, title

LOOKS = {
    "fro": look(BLUE, "-", "o", "Frobenius SVM: new inputs"),
    "nuc": look(VERMILLION, (0, (3.2, 1.4)), "s", "nuclear SVM: new inputs"),
    "W": look(GREEN, "-.", "^", "$W$ trained: new inputs"),
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
        _sizes(panel, where(table, variant=variant))
        title(panel, letter, name)
    _along(axes[3], table)
    title(axes[3], "d", "along training")
    for panel in (axes[0], axes[2]):
        panel.set(ylabel="share of inputs or instances")
    axes[0].set(ylim=(-0.03, 1.05))
    fits, chance = (
        look(BLACK, marker="D", label="SVM fits all training inputs"),
        look(GREY, ":", label="token at random"),
    )
    lines = [Line2D([], [], **one) for one in (*LOOKS.values(), fits, chance)]
    figure.legend(handles=[*lines, Patch(color="0.8", label="95 % interval")], loc="outside lower center", ncols=3)


def _sizes(axes, rows) -> None:
    fits, new = where(rows, quantity="separable"), where(rows, quantity="held_out")
    band(axes, fits, "n", alpha=0.1, color=BLACK, marker="D")
    for by, own in LOOKS.items():
        ends = last(where(new, by=by)).sort_values("n")
        axes.errorbar(ends["n"], ends["value"], bars(ends), **own)
    chance = where(new, by="chance")
    axes.plot(chance["n"], chance["value"], color=GREY, linestyle=":")
    axes.set_xscale("log", base=2)
    ticks(axes, sorted(fits["n"]))
    axes.set(xlabel="training inputs, n")


def _along(axes, table) -> None:
    fitted = where(table, quantity="fitted").set_index("variant")["n"]
    for variant, (name, colour, line) in WAYS.items():
        flipped = f"{variant.split('_')[0]}_flipped"
        if flipped not in fitted.index:
            continue
        rows = where(table, variant=variant, n=fitted[flipped], by="W", quantity="held_out").sort_values("step")
        label = f"{name} (n = {fitted[flipped]})"
        band(axes, rows, "step", alpha=0.15, color=colour, linestyle=line, label=label)
    axes.set(xscale="log", xlabel="step")
    axes.legend(loc="upper left", title="$W$ trained: new inputs")
