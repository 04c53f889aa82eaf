"""Train W, and (K, Q) with one norm for the gradients of both, from random weights, without underflow."""

from attnsvm.training import LinearHead, exact, joint, logarithmic_steps, train

KEPT = ("steps", "weights", "probabilities")


def descent(problems, settings, progress):
    steps, rate = settings["steps"], settings["learning_rate"]
    rules = {"W": exact(rate), "KQ": joint(exact(rate))}
    progress.expect(len(rules) * len(problems))
    kept = logarithmic_steps(steps, settings["points"])
    return {
        name: train(problems, LinearHead, name, rule, steps, kept, progress=progress).arrays(*KEPT)
        for name, rule in rules.items()
    }
