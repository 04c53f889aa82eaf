"""What of a trained head looks like a max-margin separator, and which null model takes it away."""

from attnsvm.audit.reading import Claim, Reading, some
from attnsvm.audit.rows import single

LAYERS = (1, 2)
NO_MORE = 0.1  # an untrained head that is above its null by less counts as equal to it


def at(tables, layer, quantity, end=True):
    """The row of a layer after the last update, or before the first."""
    table = tables.own()
    rows = some(table[(table["layer"] == layer) & (table["quantity"] == quantity)], f"measured head in layer {layer}")
    return single(rows[rows["step"] == (rows["step"].max() if end else rows["step"].min())])


def worst(rows):
    """The reading's numbers: those of the layer with the least lower end."""
    row = min(rows, key=lambda row: row["low"])
    return row["value"], row["low"], row["high"], int(row["instances"])


def easy_null(tables, least):
    rows = {
        when: [at(tables, layer, "alignment_above_permuted_fro", when) for layer in LAYERS] for when in (True, False)
    }
    parts = {
        "trained heads of both layers are above it": all(row["low"] > least for row in rows[True]),
        "and so are untrained ones": all(row["low"] > least for row in rows[False]),
    }
    return Reading(*worst(rows[True]), parts)


def hard_null(tables, least):
    ends = {layer: at(tables, layer, "alignment_above_random_fro") for layer in LAYERS}
    starts = [at(tables, layer, "alignment_above_random_fro", end=False) for layer in LAYERS]
    parts = {f"layer {layer} is above it": row["low"] > least for layer, row in ends.items()}
    parts[f"untrained heads are less than {NO_MORE} above it"] = all(row["high"] < NO_MORE for row in starts)
    return Reading(*worst(ends.values()), parts)


def prediction(tables, least):
    parts, ends = {}, []
    for layer in LAYERS:
        for other, words in (("random", "random heads"), ("place", "the most selected place")):
            row = at(tables, layer, f"predicted_above_{other}_fro")
            parts[f"layer {layer}: above {words}"] = row["low"] > least
            ends.append(row)
    return Reading(*worst(ends), parts)


def margins(tables, most):
    rows = [at(tables, layer, "margin_own_fro") for layer in LAYERS]
    right = at(tables, 0, "held_out")
    widest = max(rows, key=lambda row: row["high"])
    parts = {f"layer {row['layer']}: upper end at most {most}": row["high"] <= most for row in rows}
    parts["the network is right on nine of ten held-out digits"] = right["low"] >= 0.9
    return Reading(widest["value"], widest["low"], widest["high"], int(widest["instances"]), parts)


MEDIANS = "mean over a layer's heads, median over networks with a 95 % interval, after the last update"
CLAIMS = (
    Claim(
        key="trained_permuted",
        group="beyond",
        short="against permutation every head passes",
        statement="Every trained head looks like the SVM of what it selects if permuted selections are the null, and "
        "so does every untrained one: this null says nothing about training.",
        check=f"cosine with the certified solution, less that with the solution of permuted selections; {MEDIANS}",
        threshold=0.0,
        why="the whole interval above zero, in both layers, before and after training",
        read=easy_null,
        measured="difference of the cosines, the layer with less",
        wanted="> {}",
    ),
    Claim(
        key="trained_random",
        group="beyond",
        short="against random heads training shows",
        statement="After training the heads are better aligned with the SVM of what they select than random heads of "
        "the same singular values are.",
        check=f"cosine with the certified solution, less that of a random head; {MEDIANS}",
        threshold=0.0,
        why="the whole interval above zero in both layers; untrained heads are the control",
        read=hard_null,
        measured="difference of the cosines, the layer with less",
        wanted="> {}",
    ),
    Claim(
        key="trained_predicted",
        group="beyond",
        short="the SVM predicts unseen selections",
        statement="The SVM fitted on some images predicts what a trained head selects on others, better than for "
        "random heads and better than the place that is selected most.",
        check=f"share predicted on held-out images, less that of the comparison; {MEDIANS}",
        threshold=0.0,
        why="the whole interval above zero, in both layers and against both comparisons",
        read=prediction,
        measured="difference of the shares, the least of four",
        wanted="> {}",
    ),
    Claim(
        key="trained_margin",
        group="beyond",
        short="but no head is max-margin",
        statement="A network that classifies well has heads whose margin is far from the largest: the limit of the "
        "theory is not reached, nor needed.",
        check=f"smallest margin of W over the largest of any matrix of its norm; {MEDIANS}",
        threshold=0.5,
        why="half of the largest margin; a head that descent had brought to its limit would have one",
        read=margins,
        measured="margin over the largest, the wider layer",
        wanted="≤ {}",
    ),
)
