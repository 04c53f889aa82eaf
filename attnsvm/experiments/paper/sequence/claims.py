"""With a query at every position, W goes to the SVM solution constrained at every position."""

from attnsvm.analysis.statistics import MEAN
from attnsvm.audit.conditions import LAST, number
from attnsvm.audit.evaluation import Claims

CLAIMS = Claims(group="paper")
RUN = "saturated run of {attention} prediction for {parametrisation}"
TEXT = "correlation with the SVM solution"
ends = number(parametrisation=("W", "KQ"), step=LAST, interval=MEAN, missing=RUN, text=TEXT)


def near(attention):
    return ends(attention=attention).must("≥ 0.98", "an angle of 11°", "{parametrisation} trained")


CLAIMS.declare(
    "sequence",
    near("sequence"),
    short="query at every position",
    statement="With a query at every position, W goes to the SVM solution constrained at every position.",
)

CLAIMS.declare(
    "causal",
    near("causal"),
    short="causal prediction",
    statement="The same where only the tokens up to the query compete (causal prediction).",
)
