"""What the claims must notice: a made-up table on which they hold, and changes of it."""

import pandas as pd

from attnsvm.audit.flips import Empty, Flip
from attnsvm.experiments.layers.architectures import FACTORS, NO_RESIDUAL, VALUES, VARIANTS, plain

FAR = {"read": 0.1, "all": 0.5, "shuffled": 0.6}
STEPS = (10, 30, 100, 300)


def table():
    """Every layer is nearer to its SVM with each step by the law, and far from it by every other rule."""
    rows = []
    sizes = {plain(depth): depth for depth in (1, 2, 3)} | {name: stack.layers for name, stack in VARIANTS.items()}
    for name, depth in sizes.items():
        steps = STEPS + ((1000, 3000) if name == plain(2) else ())
        for step in steps:
            near = 0.01 / step
            values = {(depth, "top"): near}
            for layer in range(1, depth):
                values |= {(layer, "law"): 3 * near, (layer, "ratio"): -0.5 if step == 10 else -1e-4}
                values |= {(layer, rule): value for rule, value in FAR.items()}
            if name == VALUES:
                values[1, "selected"] = 0.3
            if name == FACTORS:
                values[1, "frobenius"] = 0.2
            if name == plain(2):
                values |= {(1, "held margin"): STEPS.index(min(step, 300)) + step / 1e4, (1, "held share"): 0.1 / step}
            columns = {"architecture": name, "step": step}
            rows += [{**columns, "layer": k, "quantity": q, "value": v} for (k, q), v in values.items()]
        equal = 1.0 if name == NO_RESIDUAL else 0.0
        for quantity, value in (("share measured", 1 - equal), ("share of equal tokens", equal)):
            rows.append({"architecture": name, "step": steps[-1], "layer": 0, "quantity": quantity, "value": value})
    table = pd.DataFrame(rows)
    held = table["quantity"] == "held margin"
    # The margin of the rows at the boundary grows by one with every factor e of the step.
    table.loc[held, "value"] = [1.0, 2.1, 3.3, 4.4, 5.6, 6.7]
    table["low"], table["high"] = table["value"] * 0.95, table["value"] * 1.05
    share = table["quantity"].str.startswith("share")
    table.loc[share, "low"] = (table["value"] - 0.05).clip(0)
    table.loc[share, "high"] = (table["value"] + 0.05).clip(upper=1)
    table["first_quartile"], table["third_quartile"] = table["value"] * 1.1, table["value"] * 0.9
    return table.assign(instances=64)


TWO = f"architecture == '{plain(2)}'"


def without(name):
    return lambda t: t[(t["architecture"] != name) | t["quantity"].str.startswith("share")]


def of(name):
    return f"measured instance of the stack '{name}'"


FLIPS = {
    "layers_two": Flip(f"{TWO} and quantity == 'law' and step == 3000", "high", 0.5),
    "layers_depth": Flip(f"architecture == '{plain(3)}' and quantity == 'shuffled' and layer == 2", "low", 0.0),
    "layers_kinds": Flip("architecture == 'causal' and quantity == 'all'", "low", 0.0),
    "layers_passed": Flip("quantity == 'selected'", "value", 1e-4),
    "layers_nuclear": Flip("quantity == 'frobenius'", "value", 1e-4),
    "layers_norms": Flip(f"{TWO} and quantity == 'ratio' and step == 3000", "first_quartile", -0.3),
    "layers_held": Flip("quantity == 'held share' and step == 3000", "high", 0.3),
    "layers_collapse": Flip(f"{TWO} and quantity == 'share of equal tokens'", "high", 0.5),
}
EMPTY = {
    "layers_two": [Empty(without(plain(2)), of(plain(2)))],
    "layers_depth": [Empty(without(plain(3)), of(plain(3))), Empty(lambda t: t[t["step"] == 300], "third logged step")],
    "layers_kinds": [Empty(without("causal"), of("causal"))],
    "layers_passed": [Empty(without(VALUES), of(VALUES))],
    "layers_nuclear": [Empty(without(FACTORS), of(FACTORS))],
    "layers_norms": [Empty(without(plain(2)), "measured instance")],
    "layers_held": [Empty(without(plain(2)), "row held at the boundary")],
    "layers_collapse": "the shares are of all instances",
}
