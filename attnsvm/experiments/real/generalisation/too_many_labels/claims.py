"""What holds of the end of overfitting: it comes by the number of constraints per entry of W."""

from attnsvm.audit.numbers import Limit, estimate, smallest
from attnsvm.audit.reading import Claims, NoInstance, Reading
from attnsvm.audit.rows import one, where

TOKENS = {"gaussian": "Gaussian tokens", "digits": "digits"}
CLAIMS = Claims(group="secondary")


@CLAIMS.add(
    sharpens="overfit_ends",
    seeds=(100000, 100031),
    short="constraints per entry of $W$ end it",
    statement="Flipped labels have a solution while there are few constraints per entry of W, n(T − 1)/d², and not "
    "when there are many: at 3.5 on Gaussian tokens and at 2.4 on digits most are fitted, at 7 fewer than half on "
    "either; there the rule is learned from clean labels.",
    check="share of instances with flipped labels that are separable, on either side of the boundary, Wilson "
    "intervals; share of new inputs that the Frobenius solution of clean labels selects right, 95 % interval of the "
    "mean over the instances",
    measured="share of new inputs right beyond the boundary, the smaller of Gaussian tokens and digits",
    limit=Limit(0.5, "> {}", "as first asked: a rule that knows v and not the label is right half of the time"),
    few=Limit(0.5, "share of instances with flipped labels that are separable < {}", "as first asked"),
    below=Limit(
        3.55,
        "constraints per entry of few inputs ≤ {}",
        "all of 32 were fitted at 3.5 on Gaussian tokens, and at 2.4 on digits",
    ),
    above=Limit(7.0, "constraints per entry of many inputs ≥ {}", "none of 32 was fitted at 7 on Gaussian tokens"),
)
def overfit_ends_ratio(tables, limit, few, below, above):
    """Whether flipped labels are separable on either side of the boundary, and the rule is learned beyond it."""
    table, learned, parts = tables.own(), {}, {}
    for tokens, name in TOKENS.items():
        rows = where(table, tokens=tokens, quantity="separable").sort_values("ratio")
        sides = rows[rows["ratio"].map(below)], rows[rows["ratio"].map(above)]
        if any(side.empty for side in sides):
            raise NoInstance(f"number of inputs on either side of the boundary, {name}")
        last, first = sides[0].iloc[-1], sides[1].iloc[0]
        fits, fails = estimate(last), estimate(first)
        parts[f"{name}, {last['ratio']:.2f} per entry: flipped labels fitted in {fits.value:.2f}"] = few.against(fits)
        parts[f"{name}, {first['ratio']:.2f} per entry: in {fails.value:.2f}"] = few(fails)
        clean = one(table, f"share of new inputs right, {name}", tokens=tokens, quantity="held_out", n=first["n"])
        learned[tokens] = own = estimate(clean)
        parts[f"{name}: labels by the rule teach {own.value:.2f} of new inputs there"] = limit(own)
    return Reading(*smallest(learned), parts)
