"""What the claims must notice: a made-up table on which they hold, and changes of it."""

from attnsvm.audit.flips import Empty, Flip
from attnsvm.audit.reading import FAILS

HEADS = [(layer, head) for layer in range(6) for head in range(12)]


def table():
    """All heads beat permutations, half beat random heads; the lead grows; without delimiters no margin is wide."""
    rows = []
    for k, (layer, head) in enumerate(HEADS):
        at = {"part": "head", "layer": layer, "head": head, "norm": "fro", "tokens": "all"}
        little = 0.01 * (k % 5 - 2)
        for inputs, own in ((20, 0.5), (150, 0.8)):
            for kind, value in (("head", own), ("random", 0.4), ("permuted", 0.2)):
                seen = value + (little if kind == "head" else 0)
                rows.append(at | {"quantity": "predicted", "kind": kind, "inputs": inputs, "value": seen})
        rows.append(at | {"quantity": "predicted", "kind": "rule", "inputs": 150, "value": 0.5})
        rows.append(at | {"quantity": "delimiter", "kind": "head", "inputs": 150, "value": 0.9 if k % 2 else 0.1})
        for tokens, ratio in (("all", 1.5), ("plain", 0.9)):
            own = {"quantity": "margin_ratio", "kind": "random", "inputs": 150, "tokens": tokens}
            rows.append(at | own | {"value": ratio + little})
    for norm in ("fro", "nuc"):
        for kind, share, low, high in (("permuted", 1.0, 0.95, 1.0), ("random", 0.5, 0.39, 0.61)):
            at = {"part": "share", "quantity": "alignment", "norm": norm, "kind": kind, "instances": 72}
            rows.append(at | {"value": share, "low": low, "high": high})
    for kind, own, other in (("W", "fro", "nuc"), ("KQ", "nuc", "fro")):
        for step in (100, 1000):
            for norm, value in ((own, 0.04 / step), (other, 0.2)):
                at = {"part": "trained", "quantity": "distance", "kind": kind, "norm": norm, "step": step}
                rows.append(at | {"value": value, "low": 0.9 * value, "high": 1.1 * value, "instances": 48})
    return rows


FLIPS = {
    "pretrained_permuted": Flip("part == 'share' and kind == 'permuted' and norm == 'nuc'", "low", 0.5),
    "pretrained_random": Flip("part == 'share' and kind == 'random' and norm == 'fro'", "high", 0.99),
    "pretrained_held_out": Flip("kind == 'rule'", "value", 0.9),
    "pretrained_sink": Flip("quantity == 'margin_ratio' and tokens == 'plain'", "value", 2.0),
    "pretrained_W": Flip("part == 'trained' and kind == 'W' and norm == 'nuc'", "low", 1e-6),
    "pretrained_KQ": Flip("part == 'trained' and kind == 'KQ' and norm == 'nuc'", "high", 0.5, FAILS),
}
EMPTY = {
    "pretrained_permuted": [
        Empty(
            "not (part == 'share' and kind == 'permuted' and norm == 'nuc')",
            "head with a certified solution, nuc, permuted",
        )
    ],
    "pretrained_random": [
        Empty(
            "not (part == 'share' and kind == 'random' and norm == 'fro')",
            "head with a certified solution, fro, random",
        )
    ],
    "pretrained_held_out": [
        Empty("inputs != 20", "second value of inputs"),
        Empty("not (kind == 'permuted' and inputs == 150)", "head to compare with permuted at 150 inputs"),
    ],
    "pretrained_sink": [
        Empty(
            lambda t: t.assign(value=t.value.where(t.quantity != "delimiter", 0.0)),
            "head that selects a delimiter in half of the inputs",
        ),
        Empty("tokens != 'plain'", "such head without delimiters"),
    ],
    "pretrained_W": [Empty("part != 'trained'", "trained run of W with both SVMs")],
    "pretrained_KQ": [Empty("kind != 'KQ'", "trained run of KQ with both SVMs")],
}
