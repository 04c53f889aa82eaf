"""Train W and (K, Q) with a query at every position: every token competes, or those up to the query."""

from attnsvm.training import LinearHead, how_to_train, logarithmic_steps, train

ATTENTIONS = ("sequence", "causal")
PARAMETRISATIONS = ("W", "KQ")


def descent(problems, settings, progress):
    progress.expect(len(ATTENTIONS) * len(PARAMETRISATIONS) * len(problems))
    every = logarithmic_steps(settings["steps"], settings["points"])
    how = how_to_train(settings) | {"every": every, "progress": progress}
    return {
        attention: {
            name: _run(train(problems, LinearHead, name, attention=attention, **how)) for name in PARAMETRISATIONS
        }
        for attention in ATTENTIONS
    }


def _run(log):
    return {name: getattr(log, name) for name in ("steps", "weights", "probabilities")}
