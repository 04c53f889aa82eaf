"""With a query at every position, W goes to the SVM solution constrained at every position."""

from attnsvm.analysis.statistics import MEAN
from attnsvm.audit.conditions import LAST, number
from attnsvm.audit.reading import Claims

CHECK = "correlation after the last step, the smaller mean of W and (K, Q), and its 95 % interval"
CLAIMS = Claims(group="paper")
RUN = "saturated run of {attention} prediction for {parametrisation}"
ends = number(parametrisation=("W", "KQ"), step=LAST, interval=MEAN, missing=RUN)


def near(attention):
    return ends(attention=attention).must("≥ 0.98", "an angle of 11°", "{parametrisation} trained")


CLAIMS.declare(
    "sequence",
    near("sequence"),
    short="query at every position",
    statement="With a query at every position, W goes to the SVM solution constrained at every position.",
    check=CHECK,
    measured="mean correlation with that solution",
)

CLAIMS.declare(
    "causal",
    near("causal"),
    short="causal prediction",
    statement="The same where only the tokens up to the query compete (causal prediction).",
    check=CHECK,
    measured="mean correlation with that solution",
)
