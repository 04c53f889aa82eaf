"""The model, written for one instance, and its training from random weights: make both yours (docs/engine.md)."""

from attnsvm.training.optimisers.gradient_descent import exact
from attnsvm.training.start import full_weights
from attnsvm.training.tape.attention import scores, softmax
from attnsvm.training.tape.data import inputs_of
from attnsvm.training.tape.descent import descend
from attnsvm.training.tape.losses import logistic


def model(weights, inputs):
    """The loss, and what is to be seen of the model after the last step."""
    tokens = inputs["tokens"]
    p = softmax(scores(tokens, weights["W"], inputs["queries"]))
    return logistic(inputs["labels"], p @ tokens @ inputs["head"]), {"p": p}


def descent(problems, settings, progress):
    (start,) = full_weights(problems.seeds, problems.tokens.shape[-1], "uniform")
    steps, rule = settings["steps"], exact(settings["learning_rate"])
    log = descend(model, {"W": start}, inputs_of(problems), rule, steps, every=steps, progress=progress)
    return {"weights": log.weights["W"][:, -1], "probabilities": log.seen["p"][:, :, 0]}
