"""What a network's largest logit does, over the prediction: per step, per norm gained; and with decay."""

from attnsvm.analysis.rows import where
from attnsvm.plots.style import BLUE, GREY, VERMILLION, bars, sheet

SHOWN = ["per step", "norm gained", "per norm", "plateau"]


@sheet(height=0.4)
def draw(figure, table):
    """Draw from rows (run, layer, quantity, value, low, high, instances, interval)."""
    axes = figure.subplots()
    for k, (task, layer) in enumerate((task, layer) for task in ("digits", "text") for layer in (1, 2)):
        rows = where(table[table["run"].str.startswith(task)], layer=layer).set_index("quantity").loc[SHOWN]
        places = [place + 0.12 * (k - 1.5) for place in range(len(SHOWN))]
        look = {"color": (BLUE, VERMILLION)[k // 2], "label": f"{task}, layer {layer}"}
        axes.errorbar(places, rows["value"], bars(rows), fmt="os"[k % 2], **look)
    axes.axhline(1, color=GREY, linewidth=0.6)
    axes.set(yscale="log", ylabel="measured over predicted", xticks=range(len(SHOWN)), xticklabels=SHOWN)
    axes.legend(ncols=2)
