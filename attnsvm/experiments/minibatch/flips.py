"""What tries the claims: a made-up table on which they hold, a number that flips each, and what leaves no instance."""

from attnsvm.audit.flips import Empty, Flip, spread

ENDS = {
    "normalised": (0.8, 0.99),
    "normalised, momentum": (0.98, 0.99),
    "signs": (0.7, 0.98),
    "Signum": (0.97, 0.98),
    "Adam": (0.8, 0.97),
}


def table():
    """Rules with memory are near their solutions on one input at a time; Adam and rules without memory are not."""
    rows = [
        {"rule": rule, "inputs": inputs, "norm": norm, "step": step, "value": value if step == 100 else 0.1}
        for rule, values in ENDS.items()
        for inputs, value in zip(("one input", "all inputs"), values, strict=True)
        for norm in ("fro", "linf")
        for step in (10, 100)
    ]
    return spread(rows, by=0.01, instances=50)


FLIPS = {
    "minibatch_signum": Flip("rule == 'signs' and inputs == 'one input'", "high", 0.95),
    "minibatch_adam": Flip("rule == 'Adam' and inputs == 'one input'", "high", 0.95),
    "minibatch_momentum": Flip("rule == 'normalised, momentum' and inputs == 'one input'", "low", 0.5),
}
EMPTY = {
    "minibatch_signum": [Empty("rule != 'signs'", "run of signs on one input")],
    "minibatch_adam": [Empty("rule != 'Adam'", "run of Adam on all inputs")],
    "minibatch_momentum": [Empty("rule != 'normalised'", "run of normalised on one input")],
}
