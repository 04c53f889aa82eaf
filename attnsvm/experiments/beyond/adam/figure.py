"""Adam and sign descent: the margin ratio in the max norm, in all norms, and the pace of the margin."""

import numpy as np

from attnsvm.analysis.rows import where
from attnsvm.plots.panels import lines, panel
from attnsvm.plots.style import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILLION, bars, sheet, title

NAME = {"linf": "max", "fro": "Frobenius", "spectral": "spectral", "l1": r"$\ell_1$", "nuc": "nuclear"}
COLOURS = (BLUE, GREEN, VERMILLION)
MARKS = ("o", "s", "^", "D", "v", "P", "X", "<", "*")
SCHEDULE = {"constant": "", "small": ", smaller η", "large": ", larger η", "root": ", η/√step"}


@sheet(height=0.56)
def draw(figure, table):
    """Draw from rows (run, rule, schedule, beta1, beta2, step, quantity, value, low, high, instances, interval)."""
    runs = list(dict.fromkeys(table["run"]))
    names = {run: _name(table[table["run"] == run].iloc[0]) for run in runs}
    looks = _looks(table, runs)
    way, matrix, pace = figure.subplots(1, 3, width_ratios=(1.1, 1.0, 0.9))
    lines(way, where(table, quantity="linf"), "step", "run", looks, 0.12, markersize=3, markevery=(0.1, 0.2))
    way.axhline(1, color=GREY, linewidth=0.6)
    panel(way, "a", "on the way", "x", xlabel="step", ylabel="margin ratio, at most 1: max norm", ylim=(0, 1.03))
    _matrix(matrix, table, runs, names)
    _pace(pace, table, runs, looks)
    handles = [way.plot([], [], label=names[run], markersize=3, **looks[run])[0] for run in runs]
    count = int(table["instances"].max())
    figure.legend(
        handles=handles, loc="outside lower center", ncols=3, title=f"medians, quartiles over {count} instances"
    )


def _name(row) -> str:
    if row["rule"] == "sign":
        return f"sign descent{SCHEDULE[row['schedule']]}"
    first = "" if row["beta1"] else ", β1 = 0"
    return f"Adam, β2 = {row['beta2']:g}{first}{SCHEDULE[row['schedule']]}"


def _looks(table, runs) -> dict:
    """Sign descent in black, Adam in a colour for each β2, or for what differs else; a line for each schedule."""
    dashes = {"constant": "-", "small": (0, (1, 1)), "large": (0, (4, 1.2, 1, 1.2)), "root": (0, (4, 1.5))}
    memories = sorted(set(table["beta2"]) - {0.0})
    looks = {}
    for k, run in enumerate(runs):
        row = table[table["run"] == run].iloc[0]
        colour = BLACK
        if row["rule"] == "Adam":
            colour = COLOURS[memories.index(row["beta2"]) % len(COLOURS)] if row["beta1"] else PURPLE
            colour = {"large": SKY, "root": ORANGE}.get(row["schedule"], colour)
        looks[run] = {"color": colour, "linestyle": dashes[row["schedule"]], "marker": MARKS[k % len(MARKS)]}
    return looks


def _ends(table, quantity, runs):
    """The last row of every run."""
    rows = where(table, quantity=quantity).sort_values("step")
    return rows.groupby("run").last().loc[runs]


def _matrix(axes, table, runs, names) -> None:
    values = np.array([[_ends(table, norm, runs).loc[run, "value"] for norm in NAME] for run in runs])
    axes.imshow(values, cmap="cividis", vmin=0, vmax=1, aspect="auto")
    for (r, c), value in np.ndenumerate(values):
        axes.text(c, r, f"{value:.2f}", ha="center", va="center", color="w" if value < 0.55 else "k")
    axes.set_xticks(range(len(NAME)), NAME.values(), rotation=45, ha="right", rotation_mode="anchor")
    short = [names[run].replace("sign descent", "sign").replace("Adam, ", "") for run in runs]
    axes.set_yticks(range(len(runs)), short)
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    title(axes, "b", "margin ratio at the end")


def _pace(axes, table, runs, looks) -> None:
    steady = [run for run in runs if where(table, run=run).iloc[0]["schedule"] != "root"]
    growth, sign = _ends(table, "growth", steady), _ends(table, "sign_pace", steady)
    for run in steady:
        slower = slower_pace(sign.loc[run, "value"], growth.loc[run, "beta2"])
        at, look = growth.loc[run], looks[run]
        axes.errorbar([slower], [at["value"]], bars(at), color=look["color"], fmt=look["marker"])
    places = growth["value"].min() * 0.5, growth["value"].max() * 2
    axes.plot(places, places, color=GREY, linestyle="--", linewidth=0.8, zorder=0)
    words = {"xlabel": "slower of the two paces", "ylabel": "growth of the smallest margin"}
    panel(axes, "c", "logits per step", "xy", **words)


def slower_pace(sign: float, beta2: float) -> float:
    """The smaller of the pace of sign descent and that of forgetting, ½ log(1/β2); sign descent has no memory."""
    return min(sign, 0.5 * np.log(1 / beta2)) if beta2 > 0 else sign
