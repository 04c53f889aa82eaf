"""Made-up tables of `layers`, `layer_shapes` and `rules_layers`: their claims hold there, and one number flips each."""

import pandas as pd

from attnsvm.audit.reading import IN_PART
from attnsvm.experiments.layers.architectures import FACTORS, NO_RESIDUAL, VALUES, VARIANTS, plain

STEPS = (10, 30, 100, 300)
FAR = {"read": 0.1, "all": 0.5, "shuffled": 0.6}


def layers():
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


def layer_shapes():
    rows = []
    for d, values in ((2, (0.5, 0.05, 0.45)), (16, (0.98, 0.02, 0.0))):
        ends = dict(zip(("law", "farther", "not saturated"), values, strict=True))
        ends |= {"not separable": 0.0, "equal tokens": 0.0, "uncertified": 0.0}
        rows += [{"depth": 2, "n": 3, "T": 5, "d": d, "end": end, "share": value} for end, value in ends.items()]
    table = pd.DataFrame(rows).assign(instances=200)
    return table.assign(low=table["share"] - 0.02, high=table["share"] + 0.02)


def rules_layers():
    """Both layers near one in the norm of their rule, well ahead of the Frobenius norm and of untrained matrices."""
    rows = []
    for rule in ("l1", "fro"):
        for layer in (1, 2):
            for quantity, value in (("own", 0.98), ("frobenius", 0.6), ("untrained", 0.2), ("lead", 0.97)):
                rows.append({"rule": rule, "layer": layer, "quantity": quantity, "step": 100, "value": value})
    table = pd.DataFrame(rows).assign(instances=40)
    return table.assign(low=table["value"] - 0.02, high=table["value"] + 0.02)


TABLES = {"layers": layers, "layer_shapes": layer_shapes, "rules_layers": rules_layers}

TWO = f"architecture == '{plain(2)}'"
FLIPS = {
    "layers_two": ("layers", f"{TWO} and quantity == 'law' and step == 3000", "high", 0.5, IN_PART),
    "layers_depth": (
        "layers",
        f"architecture == '{plain(3)}' and quantity == 'shuffled' and layer == 2",
        "low",
        0.0,
        IN_PART,
    ),
    "layers_kinds": ("layers", "architecture == 'causal' and quantity == 'all'", "low", 0.0, IN_PART),
    "layers_passed": ("layers", "quantity == 'selected'", "value", 1e-4, IN_PART),
    "layers_nuclear": ("layers", "quantity == 'frobenius'", "value", 1e-4, IN_PART),
    "layers_norms": ("layers", f"{TWO} and quantity == 'ratio' and step == 3000", "first_quartile", -0.3, IN_PART),
    "layers_held": ("layers", "quantity == 'held share' and step == 3000", "high", 0.3, IN_PART),
    "layers_collapse": ("layers", f"{TWO} and quantity == 'share of equal tokens'", "high", 0.5, IN_PART),
    "layers_boundary": ("layer_shapes", "d == 16 and end == 'not saturated'", "share", 0.6, IN_PART),
    "rules_layers": ("rules_layers", "rule == 'l1' and layer == 1 and quantity == 'lead'", "low", 0.4, IN_PART),
}


def without(name):
    return lambda t: t[(t["architecture"] != name) | t["quantity"].str.startswith("share")]


def of(name):
    return f"measured instance of the stack '{name}'"


EMPTY = [
    ("layers_two", without(plain(2)), of(plain(2))),
    ("layers_depth", without(plain(3)), of(plain(3))),
    ("layers_depth", lambda t: t[t["step"] == 300], "third logged step"),
    ("layers_kinds", without("causal"), of("causal")),
    ("layers_passed", without(VALUES), of(VALUES)),
    ("layers_nuclear", without(FACTORS), of(FACTORS)),
    ("layers_norms", without(plain(2)), "measured instance"),
    ("layers_held", without(plain(2)), "row held at the boundary"),
    ("rules_layers", lambda t: t[t["quantity"] != "own"], "measured instance"),
    (
        "layers_boundary",
        lambda t: t.assign(share=t["share"].where(~t["end"].isin(["law", "farther"]), 0.0)),
        "instance that could be measured",
    ),
]
NEVER_EMPTY = {"layers_collapse"}  # shares are of all instances
