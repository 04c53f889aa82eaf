"""What the claims must notice: a made-up table on which they hold, and changes of it."""

from attnsvm.audit.flips import Empty, Flip, spread


def table():
    rows = []
    for d, values in ((2, (0.5, 0.05, 0.45)), (16, (0.98, 0.02, 0.0))):
        ends = dict(zip(("law", "farther", "not saturated"), values, strict=True))
        ends |= {"not separable": 0.0, "equal tokens": 0.0, "uncertified": 0.0}
        for problem, tail in (("present", 0.02), ("stated", 0.02), ("corrected", 0.001)):
            where = {"depth": 2, "n": 3, "T": 5, "d": d, "problem": problem, "tail": tail}
            rows += [where | {"end": end, "share": value} for end, value in ends.items()]
        rows.append(where | {"end": "mixed", "share": 0.4})
    for n in range(4, 12):  # as many shapes as an interval needs
        where = {"depth": 3, "n": n, "T": 5, "d": 16, "end": "law", "share": 0.98}
        rows += [
            where | {"problem": problem, "tail": tail} for problem, tail in (("stated", 0.02), ("corrected", 0.001))
        ]
    return spread(rows, by=0.02, of="share", instances=200)


FLIPS = {
    "layers_boundary": Flip("d == 16 and end == 'not saturated'", "share", 0.6),
    "layers_mixed_shapes": Flip("problem == 'corrected' and end == 'law'", "tail", 0.1),
}
EMPTY = {
    "layers_boundary": [
        Empty(
            lambda t: t.assign(share=t["share"].where(~t["end"].isin(["law", "farther"]), 0.0)),
            "instance that could be measured",
        )
    ],
    "layers_mixed_shapes": [Empty("end != 'mixed'", "instance that could be measured")],
}
