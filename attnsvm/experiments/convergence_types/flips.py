"""What the claims must notice: a made-up table on which they hold, and changes of it."""

from attnsvm.audit.flips import Empty, Flip, spread


def types(x, values):
    """Types at two values of `x`: a global share for each, of (K, Q) higher at the first d; 2 % not local there."""
    rows = []
    for shape in ({"n": 3, "T": 3}, {"n": 5, "T": 5}):
        for p in ("W", "KQ"):
            for k, (at, whole) in enumerate(values.items()):
                glob = whole + (0.1, -0.02)[k] * (p == "KQ" and x == "d")
                base = {**shape, "d": 10, x: at, "parametrisation": p}
                lost = 0.004 if k == 0 else 0.0
                kinds = {"global": glob, "local": 1 - lost, "not_local": lost, "not_saturated": 0, "all_support": 0.5}
                kinds["all_support_not_global"] = 0.0
                rows += [{**base, "type": kind, "share": share} for kind, share in kinds.items()]
    return spread(rows, by=0.02, of="share", instances=500)


def table():
    return types("d", {2: 0.3, 64: 0.99})


FLIPS = {
    "global_grows": Flip("d == 2 and n == 3 and parametrisation == 'W' and type == 'global'", "high", 0.999),
    "global_under_conditions": Flip(
        "d == 2 and n == 3 and parametrisation == 'KQ' and type == 'all_support_not_global'", "share", 0.3
    ),
    "locally_optimal": Flip("d == 2 and n == 5 and parametrisation == 'KQ' and type == 'not_local'", "share", 0.2),
    "parametrisations_cross": Flip("d == 2 and n == 5 and parametrisation == 'KQ' and type == 'global'", "share", 0.3),
}
EMPTY = {
    "global_grows": [Empty("d == 64", "second value of d")],
    "global_under_conditions": [
        Empty(
            lambda t: t.assign(share=t.share.where(~t.type.str.startswith("all_support"), 0)),
            "instance whose tokens are all support vectors",
        )
    ],
    "locally_optimal": [
        Empty(lambda t: t.assign(share=t.type.isin(["global", "local"]).astype(float)), "run that is not global")
    ],
    "parametrisations_cross": [Empty("d == 64", "instance with d < 5")],
}
