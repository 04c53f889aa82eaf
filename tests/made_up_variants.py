"""Made-up tables of `router`, `attention_variants` and `rate_reduction`: one number flips each claim."""

import pandas as pd

from attnsvm.audit.reading import FAILS, IN_PART


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


def variants(distance=0.02, same=0.95, margin_half=1.1, pair=0.7, peak=0.3, predictions=0.01):
    """Dropout changes nothing, merging widens the margin, and without a softmax nothing is selected."""
    quantities = {
        "attention": {"distance": 0.01, "peak": 0.99, "predictions": 0.5},
        "dropout 0.5": {"distance": distance, "same": same},
        "merged": {"margin": 1.2, "margin_half": margin_half, "same": pair},
        "merged unit": {"margin": 1.3, "same": 0.7},
        "half": {"margin": 1.1, "same": 0.55},
        "linear": {"predictions": predictions, "distance": 0.4, "peak": peak},
        "mixer": {"predictions": 0.01, "peak": 0.3},
        "uniform": {"peak": 0.1},
    }
    rows = []
    for variant, own in quantities.items():
        for quantity, value in own.items():
            at = {"variant": variant, "quantity": quantity, "instances": 64}
            ways = quantity in ("distance", "peak", "predictions")
            rows += [
                at | {"step": k, "value": value * (2 if k < 100 else 1)} for k in ((1, 10, 100) if ways else (100,))
            ]
    table = pd.DataFrame(rows)
    return table.assign(low=0.99 * table["value"], high=1.01 * table["value"])


def rates(change=-0.5, rate=-0.3, accuracy=0.01, peak=0.8, lead=0.2):
    """CRATE and plain attention reduce the rate, select, and are aligned; one number each may differ."""
    rows = []
    for layer in ("plain", "crate"):
        at = {"layer": layer, "instances": 12}
        ends = {"rate_over_chance": rate, "rate_over_random": rate, "alignment_own": 0.9, "predicted_own": 0.8}
        ends |= {"alignment_random": 0.6, "predicted_random": 0.5, "alignment_over_random": 0.3}
        if layer == "crate":
            ends |= {"accuracy_over_plain": accuracy, "alignment_over_symmetric": lead, "alignment_symmetric": 0.7}
            ends |= {"predicted_symmetric": 0.6}
        for k in (1, 100):
            ways = {"accuracy": 0.9, "peak": peak, "rate_change": change if k == 100 else -0.1}
            ways |= {f"rate_{after}{what}": 5.0 for after in ("", "after_") for what in ("selected", "chance", "all")}
            rows += [at | {"quantity": name, "step": k, "value": value} for name, value in ways.items()]
        rows += [at | {"quantity": name, "step": 100, "value": value} for name, value in ends.items()]
    table = pd.DataFrame(rows)
    return table.assign(low=table["value"] - 0.01, high=table["value"] + 0.01)


TABLES = {"router": router, "attention_variants": variants, "rate_reduction": rates}
LAST = "step == 100 and selector"
FLIPS = {
    "router_law": ("router", f"{LAST} == 'gumbel' and quantity == 'distance'", "high", 0.2, IN_PART),
    "router_tokens": ("router", f"{LAST} == 'gumbel' and quantity == 'same'", "low", 0.7, IN_PART),
    "router_sooner": ("router", f"{LAST} == 'gumbel' and quantity == 'ratio_near'", "high", 1.2, IN_PART),
    "router_dirichlet": ("router", f"{LAST} == 'dirichlet' and quantity == 'to_mean'", "high", 0.2, IN_PART),
    "dropout_law": ("attention_variants", "variant == 'dropout 0.5' and quantity == 'distance'", "high", 0.2, IN_PART),
    "dropout_tokens": ("attention_variants", "variant == 'dropout 0.5' and quantity == 'same'", "low", 0.5, FAILS),
    "merged_margin": ("attention_variants", "quantity == 'margin_half'", "low", 0.9, IN_PART),
    "merged_tokens": ("attention_variants", "variant == 'half' and quantity == 'same'", "high", 0.8, IN_PART),
    "softmax_selects": ("attention_variants", "variant == 'mixer' and quantity == 'peak'", "high", 0.8, IN_PART),
    "linear_attention": (
        "attention_variants",
        "variant == 'linear' and quantity == 'predictions'",
        "high",
        0.2,
        IN_PART,
    ),
    "rate_attention": ("rate_reduction", "layer == 'crate' and quantity == 'rate_change'", "high", 0.2, IN_PART),
    "rate_selected": ("rate_reduction", "layer == 'crate' and quantity == 'rate_over_random'", "high", 0.1, IN_PART),
    "crate_accuracy": ("rate_reduction", "quantity == 'accuracy_over_plain'", "low", -0.1, FAILS),
    "crate_selects": ("rate_reduction", "layer == 'crate' and quantity == 'peak'", "low", 0.3, IN_PART),
    "crate_svm": ("rate_reduction", "quantity == 'alignment_over_symmetric'", "low", -0.1, IN_PART),
}
SHARPENS = "router that sharpens its choice"
PLAIN_AND_CONTROL = "selector in ('attention', 'reward')"
EMPTY = [
    ("router_law", lambda t: t.query("step == 100"), "step a decade before the last"),
    ("router_law", lambda t: t.query(PLAIN_AND_CONTROL), SHARPENS),
    ("router_tokens", lambda t: t.query(PLAIN_AND_CONTROL), SHARPENS),
    ("router_sooner", lambda t: t.query(PLAIN_AND_CONTROL), SHARPENS),
    ("router_dirichlet", lambda t: t.query(PLAIN_AND_CONTROL), "row of dirichlet"),
    ("dropout_law", lambda t: t.query("step == 100"), "step a decade before the last"),
    ("dropout_law", lambda t: t.query("variant != 'dropout 0.5'"), "run with dropout"),
    ("dropout_tokens", lambda t: t.query("variant != 'dropout 0.5'"), "run with dropout"),
    ("merged_margin", lambda t: t.query("variant != 'merged'"), "row of merged"),
    ("merged_tokens", lambda t: t.query("variant != 'half'"), "row of half"),
    ("softmax_selects", lambda t: t.query("variant != 'mixer'"), "row of mixer"),
    ("linear_attention", lambda t: t.query("variant != 'linear'"), "row of linear"),
    ("rate_attention", lambda t: t.query("layer == 'plain'"), "row of crate"),
    ("rate_selected", lambda t: t.query("layer == 'plain'"), "row of crate"),
    ("crate_accuracy", lambda t: t.query("layer == 'plain'"), "row of crate"),
    ("crate_selects", lambda t: t.query("layer == 'plain'"), "row of crate"),
    ("crate_svm", lambda t: t.query("layer == 'plain'"), "row of crate"),
]
NEVER_EMPTY: set[str] = set()
