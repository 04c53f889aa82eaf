"""Each parametrisation ends nearer to the solution of its own norm than to that of the other."""

from attnsvm.audit.conditions import number
from attnsvm.audit.evaluation import Claims

CLAIMS = Claims(group="paper")


def own_norm(**which):
    """The condition that each parametrisation leads to its own solution; `which` tells the experiment's rows."""
    lead = number(
        quantity="lead",
        parametrisation=("W", "KQ"),
        text="lead of the own solution's correlation over the other's, by instance after the last step",
        missing="instance with both solutions certified",
        **which,
    )
    return lead.must("> 0", "the interval must lie above zero", "{parametrisation} nearer to its own solution")


CLAIMS.declare(
    "own_norm",
    own_norm(),
    short="each nearer to its own norm's solution",
    statement="W ends nearer to the Frobenius solution than to the nuclear one, and (K, Q) the other way round.",
)
