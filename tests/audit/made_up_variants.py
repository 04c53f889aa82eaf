"""Made-up tables of `router`: its claims hold there, and one number flips each."""

import pandas as pd

from attnsvm.audit.reading import IN_PART


def router():
    """Routers near the solution of their tokens, those of attention; entropy rewarded far from any."""
    rows = []
    for name in ("attention", "entropy 0.1", "gumbel", "dirichlet", "reward"):
        own = {"attention": 0.01, "dirichlet": 0.3, "reward": 0.5}.get(name, 0.02)
        ends = {"same": 0.95, "best": 0.5, "ratio_near": 0.5, "ratio_saturated": 0.5}
        ends |= {"to_mean": 0.002 if name == "dirichlet" else 0.3}
        at = {"selector": name, "instances": 64}
        rows += [at | {"quantity": "distance", "step": k, "value": own * (2 if k < 100 else 1)} for k in (1, 10, 100)]
        rows += [at | {"quantity": quantity, "step": 100, "value": value} for quantity, value in ends.items()]
    table = pd.DataFrame(rows)
    return table.assign(low=0.99 * table["value"], high=1.01 * table["value"])


TABLES = {"router": router}
LAST = "step == 100 and selector"
FLIPS = {
    "router_law": ("router", f"{LAST} == 'gumbel' and quantity == 'distance'", "high", 0.2, IN_PART),
    "router_tokens": ("router", f"{LAST} == 'gumbel' and quantity == 'same'", "low", 0.7, IN_PART),
    "router_sooner": ("router", f"{LAST} == 'gumbel' and quantity == 'ratio_near'", "high", 1.2, IN_PART),
    "router_dirichlet": ("router", f"{LAST} == 'dirichlet' and quantity == 'to_mean'", "high", 0.2, IN_PART),
}
SHARPENS = "router that sharpens its choice"
PLAIN_AND_CONTROL = "selector in ('attention', 'reward')"
EMPTY = [
    ("router_law", lambda t: t.query("step == 100"), "step a decade before the last"),
    ("router_law", lambda t: t.query(PLAIN_AND_CONTROL), SHARPENS),
    ("router_tokens", lambda t: t.query(PLAIN_AND_CONTROL), SHARPENS),
    ("router_sooner", lambda t: t.query(PLAIN_AND_CONTROL), SHARPENS),
    ("router_dirichlet", lambda t: t.query(PLAIN_AND_CONTROL), "row of dirichlet"),
]
NEVER_EMPTY: set[str] = set()
