"""What the claims must notice: a made-up table on which they hold, and changes of it."""

from attnsvm.audit.flips import Empty, Flip, spread
from attnsvm.audit.reading import FAILS

MODELS = ("encoder", "SmolLM2")


def table():
    """Random heads align as well, the SVM predicts, and early heads more often."""
    rows = []

    def add(part, model, control, value, **more):
        rows.append({"part": part, "model": model, "control": control, "value": value} | more)

    for model in MODELS:
        add("share", model, "aligned, permuted", 0.97)
        add("share", model, "aligned, random", 0.5)
        for control in ("predicted, random", "predicted, rule"):
            add("lead", model, control, 0.2)
        add("share", model, "predicted, rule", 0.9, depth=0)
        add("share", model, "predicted, rule", 0.3, depth=5)
    add("lead", "SmolLM2", "predicted, mismatched", 0.1)
    return spread(rows, by=0.02, instances=60)


FLIPS = {
    "several_models_permuted": Flip("model == 'SmolLM2' and control == 'aligned, permuted'", "low", 0.5),
    "several_models_random": Flip("model == 'SmolLM2' and control == 'aligned, random'", "high", 0.9),
    "several_models_predicted": Flip("model == 'SmolLM2' and control == 'predicted, random'", "low", -0.1),
    "several_models_rule": Flip("model == 'SmolLM2' and part == 'lead' and control == 'predicted, rule'", "low", -0.1),
    "several_models_mismatched": Flip("control == 'predicted, mismatched'", "low", -0.1, FAILS),
    "several_models_deep": Flip("model == 'SmolLM2' and depth == 5", "value", 0.95),
}
EMPTY = {
    "several_models_permuted": [Empty("control != 'aligned, permuted'", "share of heads, aligned, permuted")],
    "several_models_random": [Empty("control != 'aligned, random'", "share of heads, aligned, random")],
    "several_models_predicted": [Empty("control != 'predicted, random'", "lead of heads, predicted, random")],
    "several_models_rule": [
        Empty("not (part == 'lead' and control == 'predicted, rule')", "lead of heads, predicted, rule")
    ],
    "several_models_mismatched": [Empty("control != 'predicted, mismatched'", "lead of heads, predicted, mismatched")],
    "several_models_deep": [Empty("depth != depth", "share of heads that lead the rule, by depth")],
}
