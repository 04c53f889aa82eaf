"""What the claims must notice: a made-up table on which they hold, and changes of it."""

from attnsvm.audit.flips import Empty, Flip
from attnsvm.audit.reading import FAILS

LAYERS, HEADS, SIZES = (0, 9, 10), (4, 5), (5, 20, 200)


def table():
    """The head maps and leads everything; its layer separates, the first one does not."""
    rows = []

    def add(value, width=0.01, instances=13, **columns):
        spread = {"value": value, "low": value - width, "high": value + width, "instances": instances}
        rows.append({"mapping": 0} | columns | spread)

    for layer in LAYERS:
        for head in HEADS:
            at = {"part": "heads", "layer": layer, "head": head, "mapping": int((layer, head) == (10, 5))}
            add(0.97 if head == 5 else 0.3, quantity="right", kind="head", **at)
            add(0.45, quantity="alignment", kind="head", instances=1, **at)
            add(0.9, quantity="predicted", kind="head", **at)
            for kind in ("random", "permuted", "mismatched"):
                add(0.3, quantity="alignment", kind=kind, instances=2, **at)
            for kind in ("random", "permuted", "mismatched", "position", "same token", "string"):
                add(0.1, quantity="lead", kind=kind, **at)
        for size in SIZES:
            at = {"part": "answers", "layer": layer, "inputs": size}
            add(float(layer > 0), quantity="separable", kind="svm", instances=1, **at)
            add(-0.02, quantity="lead", kind="head", **at)
            add(0.05, quantity="right", kind="random answers", **at)
            for ridge in ("0.01", "0.0001"):
                add(0.02, quantity="lead", kind=f"softmax {ridge}", **at)
    add(0.15, part="answers", layer=10, inputs=20, quantity="right", kind="untrained svm")
    return rows


FLIPS = {
    "answers_maps": Flip("mapping == 1 and quantity == 'right'", "low", 0.5),
    "answers_alignment": Flip("layer == 10 and quantity == 'alignment' and kind == 'mismatched'", "high", 0.9),
    "answers_nulls": Flip("mapping == 1 and quantity == 'lead' and kind == 'mismatched'", "low", -0.1),
    "answers_rules": Flip("mapping == 1 and quantity == 'lead' and kind == 'string'", "low", -0.1),
    "answers_as_good": Flip("inputs == 200 and kind == 'head' and quantity == 'lead'", "low", -0.3, FAILS),
    "answers_softmax": Flip("layer == 10 and inputs == 200 and kind == 'softmax 0.01'", "low", -0.1),
    "answers_controls": Flip("layer == 10 and kind == 'random answers'", "high", 0.5),
    "answers_layers": Flip("layer == 0 and inputs == 200 and quantity == 'separable'", "value", 1.0),
}
NO_HEAD = Empty("mapping == 0", "predicted of the head that is read")
EMPTY = {
    "answers_maps": [Empty("mapping == 0", "head that is read"), Empty("mapping == 1", "other head of that layer")],
    "answers_alignment": [
        Empty("mapping == 0", "alignment of the head that is read"),
        Empty("not (quantity == 'alignment' and kind == 'head')", "alignment of the head itself"),
        Empty("not (quantity == 'alignment' and kind == 'random')", "alignment of random heads"),
    ],
    "answers_nulls": [
        Empty("mapping == 0", "lead of the head that is read"),
        Empty("not (part == 'heads' and kind == 'mismatched')", "prediction to compare with mismatched"),
    ],
    "answers_rules": [
        Empty("mapping == 0", "lead of the head that is read"),
        Empty("not (part == 'heads' and kind == 'string')", "prediction to compare with string"),
    ],
    "answers_as_good": [
        NO_HEAD,
        Empty("not (part == 'answers' and kind == 'head')", "fit to compare with the head"),
        Empty("not (part == 'answers' and layer == 10)", "lead of right answers at the layer of that head"),
    ],
    "answers_softmax": [NO_HEAD, Empty("not kind.str.startswith('softmax')", "softmax regression to compare with")],
    "answers_controls": [
        NO_HEAD,
        Empty("kind != 'random answers'", "fit of random answers"),
        Empty("kind != 'untrained svm'", "model with random weights"),
    ],
    "answers_layers": [Empty("layer == 0", "fit at a later layer")],
}
