"""Train two layers of every kind from random weights, and keep them at four steps, each twice the one before."""

from attnsvm.experiments.beyond.layers_beyond.kinds import seen, stack_of
from attnsvm.experiments.beyond.layers_beyond.models import fixed
from attnsvm.experiments.beyond.layers_beyond.settled_rows.ends import KINDS
from attnsvm.training.heads.linear import LinearHead
from attnsvm.training.late import parted, to_log
from attnsvm.training.optimisers.gradient_descent import exact
from attnsvm.training.stack.descent import train_stack


def descent(problems, settings, progress):
    progress.expect(len(KINDS) * len(problems))
    steps, rule = settings["steps"], exact(settings["learning_rate"])
    kept = [steps // 8, steps // 4, steps // 2, steps]
    trained = {}
    for name, kind in KINDS.items():
        given = {"values": fixed(problems)["values"]} if kind.heads > 1 else {}
        own, stack = seen(kind, problems), stack_of(kind)
        log = train_stack(own, stack, LinearHead, rule, steps, to_log(kept, kept), progress=progress, **given)
        trained[name] = parted(log.steps, log.weights, kept, kept) | given
    return trained
