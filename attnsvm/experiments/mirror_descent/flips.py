"""What the claims must notice: a made-up table on which they hold, and changes of it."""

from attnsvm.audit.flips import Flip, spread
from attnsvm.audit.reading import HOLDS


def table():
    """Own tokens: distances as small as they are; another run's: larger unless the norm is the run's own."""
    rows = []
    for comparison, same in (("published", 0.4), ("own", 0.4), ("exact", 0.4), ("shared", 0.8)):
        for p in (2.0, 3.0):
            for q in (2.0, 3.0):
                far = 0.2 if comparison == "published" else 0.05
                for step in (10, 100 * int(p)):
                    value = (0.1 / step if p == q else far) * (1 + 1 / step)
                    value *= 1 if comparison == "exact" else 2
                    row = {"quantity": "distance", "comparison": comparison, "p": p, "q": q, "step": step}
                    rows.append({**row, "value": value, "mean": value})
            rows.append({"quantity": "nearest", "comparison": comparison, "p": p, "q": p, "value": 0.97})
        rows.append({"quantity": "same_tokens", "comparison": comparison, "value": same})
    return spread(rows, share=0.1, instances=100)


FLIPS = {
    "mirror_own": Flip("comparison == 'exact' and quantity == 'nearest' and p == 3", "low", 0.4),
    "print_other_tokens": Flip("comparison == 'published' and p != q", "mean", 0.05, HOLDS),
    "print_stalls": Flip("comparison == 'own' and p == q", "value", 1e-5, HOLDS),
    "print_unseeded": Flip("comparison == 'published' and quantity == 'same_tokens'", "value", 1.0, HOLDS),
}
EMPTY = dict.fromkeys(FLIPS, "the experiment ends with a sentence where it has no instance")
