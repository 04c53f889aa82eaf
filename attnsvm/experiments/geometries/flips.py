"""What the claims must notice: a made-up table on which they hold, and changes of it."""

from attnsvm.audit.flips import Empty, Flip, spread


def table():
    """Three rules whose own ratio goes to one; matrices of the same shapes that were not trained have no such ratio."""
    rules, rows = ("l1", "fro", "linf"), []
    for kind, steps in (("trained", (10, 100, 1000)), ("untrained", (1000,))):
        for step in steps:
            at = {"kind": kind, "step": step, "instances": 100}
            for rule in rules:
                for norm in rules:
                    value = 1 - 0.9 / step if rule == norm else 0.5
                    rows.append({"quantity": "ratio", **at, "rule": rule, "norm": norm, "value": value})
                for quantity in ("row", "column"):
                    row = {"quantity": quantity, **at, "rule": rule, "norm": rule}
                    rows.append({**row, "value": 0.99 if kind == "trained" else 0.5})
            row = {"quantity": "all", **at, "rule": "every", "norm": "every"}
            rows.append({**row, "value": 0.98 if kind == "trained" else 0.1})
    return spread(rows, by=0.02)


FLIPS = {
    "geometries": Flip("kind == 'untrained' and quantity == 'all'", "high", 0.99),
    "geometries_limit": Flip("rule == 'l1' and norm == 'l1' and step == 1000", "value", 0.5),
}
EMPTY = {
    "geometries": "the experiment ends with a sentence where it has no instance",
    "geometries_limit": [Empty("step == 1000", "step about a decade before the last")],
}
