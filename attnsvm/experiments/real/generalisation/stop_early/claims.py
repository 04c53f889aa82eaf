"""What holds of stopping early: it helps where labels are flipped, and costs where they are not."""

from attnsvm.audit.numbers import Limit, estimate, smallest
from attnsvm.audit.reading import Claims, Reading, some
from attnsvm.audit.rows import decade, where

TOKENS = {"gaussian": "Gaussian tokens", "digits": "digits"}
CLAIMS = Claims(group="beyond")


@CLAIMS.add(
    sharpens="overfit_by_training",
    seeds=(100000, 100063),
    short="flipped labels: stop early; clean: train on",
    statement="Stopping early helps W on new inputs where training labels are flipped, and costs it where they are not "
    "and inputs are enough: what training on overfits is the flipped labels.",
    check="share of new inputs that W selects right after a tenth of the steps, less that after all of them, instance "
    "by instance, 128 inputs of Gaussian tokens and 64 images of digits; 95 % intervals of the means",
    measured="gain of stopping with flipped labels, the smaller of Gaussian tokens and digits",
    limit=Limit(0.0, "> {}", "the whole interval; with clean labels it must lie below zero"),
)
def overfit_by_flipped(tables, limit):
    """What stopping after about a tenth of the steps gains: asked of flipped labels, the opposite of clean ones."""
    table, gains, parts = tables.own(), {}, {}
    for tokens, name in TOKENS.items():
        for labels, met in (("flipped", limit), ("clean", limit.against)):
            rows = some(where(table, variant=f"{tokens}_{labels}"), f"instance of {name} with {labels} labels")
            rows = rows[rows["n"] == rows["n"].max()].sort_values("step")
            gain = estimate(decade(rows)[1])
            parts[f"{name}, {labels} labels: {gain.value:+.3f} [{gain.low:.3f}, {gain.high:.3f}]"] = met(gain)
            gains[tokens, labels] = gain
    return Reading(*smallest(gains[tokens, "flipped"] for tokens in TOKENS), parts)
