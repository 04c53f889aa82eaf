"""How fast the largest logit of a small transformer grows under Muon: as the certified solutions say, or not."""

from attnsvm.audit.conditions import number
from attnsvm.audit.reading import Claims

CLAIMS = Claims(group="beyond")
plain = number(run=("digits, no decay", "text, no decay"), layer=(1, 2), missing="{quantity} of {run}")

CLAIMS.declare(
    "logit_growth",
    plain(quantity="per step").must("each slope ≥ 0.5", "a factor of two", "{run}, layer {layer}: {value:.2f}"),
    short="a network's logits grow as the SVM says",
    statement="In a small transformer whose K and Q move by Muon the root of the largest logit grows per update at "
    "least half as fast as η times the root of the certified margin times the spread.",
    check="growth over the last half of the updates, over the prediction: medians over networks, 95 % intervals",
    measured="measured over predicted slope, the lowest end",
    unsharpened="Steps cancel: `logit_growth_norm` asks for the growth per norm gained.",
)
CLAIMS.declare(
    "logit_growth_norm",
    plain(quantity="per norm").must("per norm ≥ 0.33", "a factor of three", "{run}, layer {layer}: {value:.2f}"),
    plain(quantity="per norm").must("per norm ≤ 1.5", "the prediction is a maximum", "and at most half above"),
    plain(quantity="norm gained").must("norm gained ≤ 0.33", "else no step cancels", "K and Q gain {value:.2f} of η"),
    short="per norm gained they do",
    statement="In a small transformer whose K and Q move by Muon the root of the largest logit grows, for the growth "
    "of the root of ‖K‖‖Q‖, at least a third as fast as the certified margin times the spread says.",
    check="growth over the last half of the updates, per norm gained: medians over networks, 95 % intervals",
    measured="measured over predicted growth, the lowest end",
)
