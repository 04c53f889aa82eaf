"""Train W and (K, Q) on the encoder's tokens under a random head; the encoder's heads are not trained."""

from attnsvm.experiments.real.pretrained.inputs import of_a_layer
from attnsvm.training.descent import train
from attnsvm.training.heads.linear import LinearHead
from attnsvm.training.log import logarithmic_steps
from attnsvm.training.runs import how_to_train


def descent(problems, settings, progress):
    if of_a_layer(problems):
        progress(len(problems))
        return {}
    progress.expect(2 * len(problems))
    kept = logarithmic_steps(settings["steps"], settings["points"])
    how = how_to_train(settings) | {"every": kept, "start": "zero", "progress": progress}
    keep = "steps", "weights", "probabilities"
    return {name: train(problems, LinearHead, name, **how).arrays(*keep) for name in ("W", "KQ")}
