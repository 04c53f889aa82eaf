"""Started around the SVM direction of some tokens: the share of runs that stay with them."""

import numpy as np

from attnsvm.analysis.rows import where
from attnsvm.plots.panels import growing, key, panel
from attnsvm.plots.style import GREY, sheet

KINDS = {"locally_optimal": "locally optimal tokens", "not_locally_optimal": "tokens that are not"}


@sheet(height=0.46)
def draw(figure, table):
    """Draw from rows (kind, R, mu, end, value, low, high, instances, interval)."""
    ends = where(table, end="converged")
    starts = sorted(mu for mu in table["mu"].unique() if mu > 0)
    least = np.log10(starts[0]) - 0.8 if starts else 0.0  # where the exact direction stands, beside a logarithmic axis
    places = {mu: np.log10(mu) if mu > 0 else least for mu in table["mu"].unique()}
    kept, left = figure.subplots(1, 2, sharey=True, width_ratios=(3, 1))
    stays = where(ends, kind="locally_optimal")
    for k, (R, line) in enumerate(stays.groupby("R")):
        look = growing(k)
        line = line.assign(place=line["mu"].map(places) + 0.03 * k).sort_values("place")
        exact = line["mu"] == 0
        kept.plot(line["place"][exact], line["value"][exact], **look, linestyle="none")
        kept.plot(line["place"][~exact], line["value"][~exact], **look, label=f"$R = {R:g}$")
        kept.vlines(line["place"], line["low"], line["high"], color=look["color"], linewidth=0.8)
    if 0.0 in places:
        kept.axvline(least + 0.4, color=GREY, linewidth=0.8, linestyle=":")
    kept.set_xticks(list(places.values()), [f"{mu:g}" for mu in places])
    said = f"{KINDS['locally_optimal']} ({stays['instances'].max() if len(stays) else 0:.0f} instances)"
    words = {"xlabel": "1 − correlation at the start", "ylabel": "share that stays and converges"}
    panel(kept, "a", said, ylim=(-0.04, 1.04), **words)
    _others(left, where(ends, kind="not_locally_optimal"))
    words = r"start: norm $R\,\|W_{\mathrm{mm}}\|$; bars: 95 % Wilson interval"
    key(figure, kept, words, above=True, grey=True, ncols=4)


def _others(axes, rows) -> None:
    """All starts side by side: the largest of their shares is what matters."""
    place = np.arange(len(rows))
    axes.plot(place, rows["value"], color=GREY, marker=".", linestyle="none")
    axes.vlines(place, rows["low"], rows["high"], color=GREY, linewidth=0.6)
    panel(axes, "b", KINDS["not_locally_optimal"], xticks=[], xlabel=f"all {len(rows)} starts")
    largest, instances = (rows[name].max() if len(rows) else 0 for name in ("value", "instances"))
    most = f"at most {largest * instances:.0f}" if largest else "none"
    words = f"{most} of {instances:.0f}\ninstances,\nfrom any start"
    axes.text(0.5, 0.5, words, transform=axes.transAxes, ha="center", va="center")
