"""One input at a time: which rules keep the margin of their norm, and which leave it."""

from attnsvm.audit.conditions import LAST, number
from attnsvm.audit.numbers import Limit
from attnsvm.audit.reading import Claims, Reading

ONE, ALL = "one input", "all inputs"
end = number(step=LAST, missing="run of {rule} on {inputs}")
CLAIMS = Claims(group="beyond")


def remembers(rule, without, norm, why):
    """With memory the margin ratio on one input at a time is large, as on all, and without memory it is not."""
    words, text = "{rule}, {inputs}: {value:.3f}", "margin ratio in the norm of the rule"
    large = [
        end(rule=rule, inputs=inputs, norm=norm, text=text).must("each ≥ 0.95", why, words) for inputs in (ONE, ALL)
    ]
    return *large, end(rule=without, inputs=ONE, norm=norm).must(
        "without memory, one input < 0.9", "twice as far from one: else memory is not what does it", words
    )


CLAIMS.declare(
    "minibatch_signum",
    *remembers("Signum", "signs", "linf", "as of sign descent on all inputs"),
    short="Signum keeps the max norm, batch one",
    statement="Signum with memory (six inputs, β = 0.9) goes to the max-margin solution of the max norm on one input "
    "at a time as it does on all (arXiv:2510.26303, for linear classifiers and any batch size; here for attention).",
)


@CLAIMS.add(
    short="Adam leaves the max norm, batch one",
    statement="Adam on one input at a time (β1 = 0.9) departs from the max-margin solution of the max norm, to which "
    "Adam on all inputs goes (arXiv:2510.26303, for linear classifiers; here for attention).",
    measured="median margin ratio of Adam in the max norm, one input at a time",
    limit=Limit(0.05, "lost ≥ {}", "more than what a run may be on its way"),
    near=Limit(0.95, "all inputs ≥ {}", "as of sign descent on all inputs"),
    unsharpened="At a constant rate Adam on all inputs is itself on its way: see the experiment adam.",
)
def minibatch_adam(tables, limit, near):
    """How much smaller the margin ratio of Adam in the max norm is on one input at a time than on all."""
    adam = end(rule="Adam", norm="linf")
    whole, one = (adam(inputs=inputs).estimate(tables.own()) for inputs in (ALL, ONE))
    lost = whole.low - one.high
    departs = {f"one input: {one.value:.3f}, and at least {lost:.3f} less than on all": limit(lost)}
    return Reading(*one, departs, {f"all inputs: {whole.value:.3f}": near(whole)})


CLAIMS.declare(
    "minibatch_momentum",
    *remembers("normalised, momentum", "normalised", "fro", "as of the rules of geometries"),
    short="normalised steps need memory, batch one",
    statement="Normalised steps with memory (six inputs, β = 0.9) go to the Frobenius solution on one input at a "
    "time, too; without memory every input pushes alike, and they do not.",
)
