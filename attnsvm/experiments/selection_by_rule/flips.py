"""What the claims must notice: a made-up table on which they hold, and changes of it."""

from attnsvm.audit.flips import Flip, spread


def table():
    """Frobenius steps ahead of all others in global ends; nuclear ones ahead on new inputs, spectral ones behind."""
    rows = []
    for labels in ("random", "told"):
        for steps in ("short", "long"):
            for rule in ("linf", "spectral", "nuc", "l1", "adam"):
                lead = {"nuc": -0.06, "spectral": 0.08}.get(rule, 0.03)
                at = {"labels": labels, "d": float("nan"), "steps": steps, "rule": rule, "instances": 200}
                rows.append({**at, "quantity": "lead_global", "value": 0.1})
                rows.append({**at, "quantity": "lead_held_out", "value": lead})
            for rule in ("fro", "linf", "spectral", "nuc", "l1", "adam"):
                at = {"labels": labels, "d": 8, "steps": steps, "rule": rule, "instances": 100}
                rows.append({**at, "quantity": "held_out", "value": 0.3 if labels == "random" else 0.6})
                rows.append({**at, "quantity": "global", "value": 0.8 if rule == "fro" else 0.7})
    return spread(rows, by=0.02)


FLIPS = {
    "rule_and_tokens": Flip(
        "labels == 'random' and quantity == 'lead_global' and rule == 'linf' and steps == 'long'", "value", -0.1
    ),
    "rule_and_new_inputs": Flip("labels == 'random' and quantity == 'held_out' and rule == 'nuc'", "low", 0.6),
}
EMPTY = {
    "rule_and_tokens": "every run has an end",
    "rule_and_new_inputs": "W selects tokens of every new input",
}
