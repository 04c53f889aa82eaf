"""Train W on all tokens, on merged ones, and on one of two; only what is selected is kept."""

from attnsvm.experiments.summaries.attention_variants.merging.merged import PLAIN, SHORTER, shortened
from attnsvm.training.descent import train
from attnsvm.training.heads.linear import LinearHead
from attnsvm.training.optimisers.gradient_descent import exact


def descent(problems, settings, progress):
    progress.expect((1 + len(SHORTER)) * len(problems))
    steps, rule = settings["steps"], exact(settings["learning_rate"])
    runs = {}
    for name in (PLAIN, *SHORTER):
        log = train(shortened(problems, name), LinearHead, "W", rule, steps, steps, progress=progress)
        runs[name] = log.probabilities.argmax(2)
    return runs
