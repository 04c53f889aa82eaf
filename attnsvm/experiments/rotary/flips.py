"""What the claims must notice: a made-up table on which they hold, and changes of it."""

from attnsvm.audit.flips import Empty, Flip
from attnsvm.audit.reading import FAILS


def table():
    rows = []
    for d, F, room in ((2, 0, 0.1), (2, 1, 0.2), (6, 0, 1.2), (6, 1, 3.0)):
        for seed in range(60):
            for step, distance in ((10, 0.1), (1000, 1e-3), (10000, 1e-5)):
                row = {"d": d, "F": F, "room": room, "seed": seed, "step": step, "distance": distance}
                rows.append(row | {"reversed": 0.3, "separable": float(room > 0.15)})
    return rows


FLIPS = {
    "rotary_limit": Flip("F == 1 and d == 6 and step == 10000", "distance", 2e-3, FAILS),
    "rotary_adds": Flip("room == 0.2", "separable", 0.0, FAILS),
}
EMPTY = {
    "rotary_limit": [
        Empty("F == 0", "run with frequencies and many parameters"),
        Empty("step == 10000", "step about a decade before the last"),
    ],
    "rotary_adds": [Empty("F == 0", "shape with frequencies"), Empty("F == 1", "shape without frequencies")],
}
