"""What the claims must notice: a made-up table on which they hold, and changes of it."""

from attnsvm.audit.flips import Empty, Flip
from attnsvm.audit.reading import HOLDS


def table():
    rows = []
    for norm in ("fro", "nuc"):
        for d, feasible in ((2, 0), (10, 100)):
            base = {"n": 5, "T": 5, "d": d, "norm": norm, "instances": 100}
            own = {"rank_mean": 3.0, "rank_proved": 4, "rank_error": 1e-8, "outside_max": 1e-15} if feasible else {}
            rows.append({**base, "method": "certified", "feasible": feasible, "rank_std": 0.5, **own})
            drawn = 1.0 if not feasible else 4.9 if norm == "nuc" else 3.0
            rows.append({**base, "method": "published", "feasible": feasible, "rank_std": 0.5, "rank_mean": drawn})
    return rows


FLIPS = {
    "rank_bound": Flip("method == 'certified' and d == 10 and norm == 'nuc'", "rank_proved", 6),
    "row_space": Flip("method == 'certified' and d == 10 and norm == 'fro'", "outside_max", 1e-3),
    "print_infeasible": Flip("method == 'published' and d == 2", "rank_mean", 0.0, HOLDS),
    "print_noise": Flip("method == 'published' and d == 10 and norm == 'nuc'", "rank_mean", 3.1, HOLDS),
}
EMPTY = {
    "rank_bound": [Empty("d == 2", "separable instance")],
    "row_space": [Empty("d == 2", "separable instance")],
    "print_infeasible": [Empty("d == 10", "shape without any separable instance")],
    "print_noise": [Empty("d == 2", "shape of which all instances are separable")],
}
