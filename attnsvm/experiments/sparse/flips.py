"""What tries the claims: a made-up table on which they hold, a number that flips each, and what leaves no instance."""

from attnsvm.audit.flips import Empty, Flip, quantities, spread


def table():
    """Sparse attention stops at the margin and goes to the solution as λ; softmax grows."""
    rows = []
    for name in ("sparsemax", "1.5-entmax", "softmax"):
        sparse = name != "softmax"
        for step in (100, 1000):
            moving = {"margin": 1.0, "moved": 1e-4, "distance": 0.3} if sparse else {"margin": 9.0, "moved": 0.2}
            rows += quantities(moving, attention=name, run="plain", at=step)
        for level in (1e-3, 1e-4, 1e-5):
            values = {"distance": 10.0 * level, "exponent": 1.0} if sparse else {"size": 1e-3 / level}
            rows += quantities(values, attention=name, run="decayed", at=level)
    for share, stays in ((0.9, 1.0), (1.1, 0.0)):
        rows += quantities({"stays": stays}, attention="sparsemax", run="decayed", at=share)
    return spread(rows, share=0.002, instances=60, largest=1.0)


FLIPS = {
    "sparse_stops": Flip("attention == 'softmax' and quantity == 'moved'", "low", 0.001),
    "sparse_svm_flow": Flip(
        "attention == 'sparsemax' and run == 'plain' and quantity == 'distance'", "high", 0.04, before="fails"
    ),
    "sparse_svm": Flip("attention == '1.5-entmax' and run == 'plain' and quantity == 'distance'", "low", 1e-4),
    "sparse_rate": Flip("at == 1.1", "value", 0.5),
}
EMPTY = {
    "sparse_stops": [Empty("attention != 'sparsemax'", "margin of sparsemax")],
    "sparse_svm_flow": [Empty("attention != '1.5-entmax'", "distance of 1.5-entmax")],
    "sparse_svm": [Empty("attention != 'softmax'", "size of softmax")],
    "sparse_rate": [
        Empty("quantity != 'exponent'", "exponent of 1.5-entmax"),
        Empty("quantity != 'stays'", "solution of sparsemax"),
    ],
}
