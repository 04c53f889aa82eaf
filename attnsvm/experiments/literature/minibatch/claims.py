"""One input at a time: which rules keep the margin of their norm, and which leave it."""

from functools import partial

from attnsvm.audit.numbers import Limit, estimate
from attnsvm.audit.reading import Claims, Reading, some
from attnsvm.audit.rows import last, where

ONE, ALL = "one input", "all inputs"
FORGETS = Limit(0.9, "without memory, one input < {}", "twice as far from one: else memory is not what does it")
CLAIMS = Claims(group="beyond")


def end(tables, rule, inputs, norm):
    """The margin ratio after the last step."""
    rows = where(tables.own(), rule=rule, inputs=inputs, norm=norm)
    return estimate(last(some(rows, f"run of {rule} on {inputs}")).iloc[0])


def remembers(rule, without, norm, tables, asked, forgets):
    """With memory the margin ratio on one input at a time is large, and without it is not."""
    found = {inputs: end(tables, rule, inputs, norm) for inputs in (ONE, ALL)}
    parts = {f"{rule}, {inputs}: {of.value:.3f}": asked(of) for inputs, of in found.items()}
    control = end(tables, without, ONE, norm)
    return Reading(*found[ONE], parts | {f"{without}, {ONE}: {control.value:.3f}": forgets(control)})


CLAIMS.add(
    key="minibatch_signum",
    short="Signum keeps the max norm, batch one",
    statement="Signum with memory goes to the max-margin solution of the max norm, whatever the batch size "
    "(arXiv:2510.26303, for linear classifiers; here for attention).",
    check="margin ratio in the max norm after the last step, on one input at a time and on all: medians with 95 % "
    "intervals; control: signs without memory, one input at a time",
    measured="median of the margin ratio, one input at a time",
    asked=Limit(0.95, "each ≥ {}", "as of sign descent on all inputs"),
    forgets=FORGETS,
    read=partial(remembers, "Signum", "signs", "linf"),
)


@CLAIMS.add(
    short="Adam leaves the max norm, batch one",
    statement="Adam on one input at a time departs from the max-margin solution of the max norm, to which Adam on all "
    "inputs goes (arXiv:2510.26303, for linear classifiers; here for attention).",
    check="margin ratio in the max norm after the last step, medians with 95 % intervals: the lower end on all inputs "
    "less the upper end on one at a time",
    measured="median of the margin ratio of Adam, one input at a time",
    asked=Limit(0.05, "lost ≥ {}", "more than what a run may be on its way"),
    near=Limit(0.95, "all inputs ≥ {}", "as of sign descent on all inputs"),
    unsharpened="At a constant rate Adam on all inputs is itself on its way: see the experiment adam.",
)
def minibatch_adam(tables, asked, near):
    """How much smaller the margin ratio of Adam in the max norm is on one input at a time than on all."""
    whole, one = (end(tables, "Adam", inputs, "linf") for inputs in (ALL, ONE))
    lost = whole.low - one.high
    parts = {
        f"one input: {one.value:.3f}, and at least {lost:.3f} less than on all": asked(lost),
        f"all inputs: {whole.value:.3f}": near(whole),
    }
    return Reading(*one, parts)


CLAIMS.add(
    key="minibatch_momentum",
    short="normalised steps need memory, batch one",
    statement="Normalised steps with memory go to the Frobenius solution on one input at a time, too; without memory "
    "every input pushes alike, and they do not.",
    check="margin ratio in the Frobenius norm after the last step, on one input at a time and on all: medians with 95 "
    "% intervals; control: normalised steps without memory, one input at a time",
    measured="median of the margin ratio, one input at a time",
    asked=Limit(0.95, "each ≥ {}", "as of the rules of geometries"),
    forgets=FORGETS,
    read=partial(remembers, "normalised, momentum", "normalised", "fro"),
)
