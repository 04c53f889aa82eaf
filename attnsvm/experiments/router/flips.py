"""What the claims must notice: a made-up table on which they hold, and changes of it."""

from attnsvm.audit.flips import Empty, Flip, quantities, spread


def table(distance=0.02, same=0.95, ratio=0.5, control=0.5, mean=0.002):
    rows = []
    for name in ("attention", "entropy 0.1", "gumbel", "dirichlet", "reward"):
        own = {"attention": 0.01, "dirichlet": 0.3, "reward": control}.get(name, distance)
        ends = {"same": same, "best": 0.5, "all_same": 0.4, "ratio_near": ratio, "ratio_saturated": ratio}
        ends |= {"to_mean": mean if name == "dirichlet" else 0.3}
        for step, values in ((1, {}), (10, {}), (100, ends)):
            far = {"distance": own * (2 if step < 100 else 1)}
            rows += quantities(far | values, selector=name, step=step)
    return spread(rows, share=0.01, instances=64)


LAST = "step == 100 and selector"
PLAIN_AND_CONTROL = "selector in ('attention', 'reward')"
SHARPENS = "router that sharpens its choice"

FLIPS = {
    "router_law": Flip(f"{LAST} == 'gumbel' and quantity == 'distance'", "high", 0.2),
    "router_tokens": Flip(f"{LAST} == 'gumbel' and quantity == 'same'", "low", 0.7),
    "router_sooner": Flip(f"{LAST} == 'gumbel' and quantity == 'ratio_near'", "high", 1.2),
    "router_dirichlet": Flip(f"{LAST} == 'dirichlet' and quantity == 'to_mean'", "high", 0.2),
}
EMPTY = {
    "router_law": [Empty("step == 100", "step a decade before the last"), Empty(PLAIN_AND_CONTROL, SHARPENS)],
    "router_tokens": [Empty(PLAIN_AND_CONTROL, SHARPENS)],
    "router_sooner": [Empty(PLAIN_AND_CONTROL, SHARPENS)],
    "router_dirichlet": [Empty(PLAIN_AND_CONTROL, "row of dirichlet")],
}
