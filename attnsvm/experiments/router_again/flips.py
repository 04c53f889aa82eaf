"""What the claims must notice: a made-up table on which they hold, and changes of it."""

from attnsvm.audit.flips import Empty, Flip, quantities, spread

VALUES = {
    "attention": {"best": 0.95},
    "entropy 0.1": {"same": 0.6, "best": 0.6, "ratio_near": 0.8, "ratio_saturated": 0.8},
    "gumbel": {"same": 0.98, "best": 0.95, "ratio_near": 1.9, "ratio_saturated": 1.6},
}


def table():
    rows = [row for name, own in VALUES.items() for row in quantities(own, selector=name)]
    return spread(rows, share=0.01, step=100, instances=64)


FLIPS = {
    "router_tokens_kept": Flip("selector == 'entropy 0.1' and quantity == 'best'", "high", 0.96),
    "router_sooner_entropy": Flip("selector == 'gumbel' and quantity == 'ratio_near'", "low", 0.9),
}
EMPTY = {
    "router_tokens_kept": [
        Empty("selector != 'gumbel'", "row of gumbel"),
        Empty("selector != 'entropy 0.1'", "router with an entropy penalty"),
    ],
    "router_sooner_entropy": [Empty("selector != 'entropy 0.1'", "router with an entropy penalty")],
}
