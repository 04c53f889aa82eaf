"""What the claims must notice: a made-up table on which they hold, and changes of it."""

import numpy as np
import pandas as pd

from attnsvm.audit.flips import Empty, Flip, quantities
from attnsvm.experiments.layers.architectures import FACTORS, NO_RESIDUAL, PLANTED, RATES, VALUES, VARIANTS, plain

FAR = {"read": 0.1, "all": 0.5, "shuffled": 0.6}
STEPS = (10, 30, 100, 300)


def table():
    """Every layer is nearer to its SVM with each step by the law, and far from it by every other rule."""
    rows = []
    sizes = {plain(depth): depth for depth in (1, 2, 3)} | {name: stack.layers for name, stack in VARIANTS.items()}
    sizes |= dict.fromkeys(RATES, 2)
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
            if name == NO_RESIDUAL:
                values |= {(1, "corrected"): near, (2, "corrected"): near}
            if name in RATES:
                values[1, "graded"] = 3 * near
                values |= {(1, "law"): 0.05} if RATES[name] > 1 else {}
            if name == plain(2):
                values |= {(1, "held margin"): STEPS.index(min(step, 300)) + step / 1e4, (1, "held share"): 0.1 / step}
                values |= corrected(step)
            columns = {"architecture": name, "step": step}
            rows += [{**columns, "layer": k, "quantity": q, "value": v} for (k, q), v in values.items()]
        equal = 1.0 if name == NO_RESIDUAL else 0.0
        shares = {"share measured": 1 - equal, "share of equal tokens": equal}
        if name == plain(2):
            shares |= {"share mixed": 0.5, "share conditions": 0.3, "share reversed": 0.1, "share reversed alone": 0.0}
        rows += quantities(shares, architecture=name, step=steps[-1], layer=0)
    rows += quantities({"planted, met": 1e-4, "planted, scaled, met": 0.5}, architecture=PLANTED, step=300, layer=0)
    table = pd.DataFrame(rows)
    held = table["quantity"] == "held margin"
    # The margin of the rows at the boundary grows by one with every factor e of the step.
    table.loc[held, "value"] = [1.0, 2.1, 3.3, 4.4, 5.6, 6.7]
    table["low"], table["high"] = table["value"] * 0.95, table["value"] * 1.05
    share = table["quantity"].str.startswith("share")
    table.loc[share, "low"] = (table["value"] - 0.05).clip(0)
    table.loc[share, "high"] = (table["value"] + 0.05).clip(upper=1)
    table["first_quartile"], table["third_quartile"] = table["value"] * 1.1, table["value"] * 0.9
    law = table["quantity"] == "held law"
    table.loc[law, ["first_quartile", "third_quartile"]] = np.outer(table.loc[law, "value"], (1.0, 1.02))
    table["tail"] = table["largest"] = table["value"]
    return table.assign(instances=64)


def corrected(step):
    """The corrected law of two layers: mixtures that stay, a plateau of the stated problem alone, forces near one."""
    end = step == 3000
    return {
        (0, "norm"): step / 3,
        (0, "corrected"): 0.1 / step,
        (0, "stated"): 0.1 / step + 0.02,
        (1, "corrected"): 0.1 / step,
        (1, "mixed probability"): 0.2,
        (1, "held probability"): 1.0 / step,
        (1, "held law"): 1 + 10 / step,
        (1, "held law shuffled"): 3.0,
        (0, "dual"): 0.1 / step,
    } | (
        {
            (0, "dual shuffled"): 0.7,
            (1, "predicted"): 0.01,
            (2, "predicted"): 0.01,
            (1, "weights then"): 0.3,
            (2, "weights then"): 0.3,
            (1, "swapped"): 0.2,
            (0, "stated, met"): 1e-4,
            (0, "stated, not met"): 0.02,
        }
        if end
        else {}
    )


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
    "layers_mixtures": Flip("quantity == 'mixed probability' and step == 3000", "value", 0.002),
    "layers_corrected": Flip(f"{TWO} and quantity == 'stated' and step == 3000", "largest", 1e-4),
    "layers_forces": Flip("quantity == 'held law' and step == 3000", "third_quartile", 1.4),
    "layers_dual": Flip("quantity == 'dual' and step == 3000", "high", 0.2),
    "layers_graded": Flip("architecture == 'own norms, 6:1' and quantity == 'read'", "low", 0.0),
    "layers_predicted": Flip("quantity == 'weights then' and layer == 2", "low", 0.0),
    "layers_swapped": Flip("quantity == 'swapped'", "value", 1e-4),
    "layers_conditions": Flip("quantity == 'stated, not met'", "largest", 1e-5),
    "layers_theorem": Flip("quantity == 'planted, scaled, met'", "largest", 1.5),
    "layers_reversed": Flip("quantity == 'share reversed alone'", "high", 0.3),
    "layers_copies": Flip(f"architecture == '{NO_RESIDUAL}' and quantity == 'corrected' and layer == 2", "high", 0.3),
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
    "layers_mixtures": [Empty(without(plain(2)), "plain stack of two layers")],
    "layers_corrected": [
        Empty(without(plain(2)), "plain stack of two layers"),
        Empty(lambda t: t[(t["quantity"] != "corrected") | (t["step"] == 3000)], "step at half the last ‖W‖"),
    ],
    "layers_forces": [Empty("quantity != 'held law'", "row of held law")],
    "layers_dual": [Empty(without(plain(2)), of(plain(2)))],
    "layers_graded": [Empty(without("own norms, 3:1"), of("own norms, 3:1"))],
    "layers_predicted": [Empty(without(plain(2)), of(plain(2)))],
    "layers_swapped": [Empty(without(plain(2)), of(plain(2)))],
    "layers_conditions": [Empty("quantity != 'stated, met'", "instance, met")],
    "layers_theorem": [Empty("quantity != 'planted, scaled, met'", "instance that meets the conditions")],
    "layers_reversed": "the shares are of all measured instances",
    "layers_copies": [Empty(without(NO_RESIDUAL), of(NO_RESIDUAL))],
}
