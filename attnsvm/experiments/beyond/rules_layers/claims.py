"""In a stack too, every rule goes to the max-margin solution of its own norm, layer by layer."""

from attnsvm.audit.conditions import EACH, LAST, number
from attnsvm.audit.evaluation import Claims

LAYERS = {1: "layer below", 2: "top"}
end = number(step=LAST, rule=EACH, layer=tuple(LAYERS), missing="measured instance")
CLAIMS = Claims(group="beyond")

CLAIMS.declare(
    "rules_layers",
    end(quantity="own", text="margin ratio in the rule's norm (best: 1)").must(
        "each median ≥ 0.95",
        "as for one layer: what is missing falls with the steps; and in more than half of the instances, beyond doubt, "
        "the norm of the rule is ahead of both controls",
        "{rule}, {layer}: {value:.3f}",
        names=LAYERS,
    ),
    end(quantity="lead").must(
        "share of instances in which its norm is ahead > 0.5",
        "beyond doubt more than half",
        "{rule}, {layer}: ahead of the Frobenius norm and of untrained matrices in {value:.2f}",
        names=LAYERS,
    ),
    short="in stacks too, every rule has its own SVM",
    statement="In a stack of two layers that steepest descent trains, each layer goes to the max-margin solution of "
    "its problem in the rule's norm.",
)
