"""A head that penalises the length of the attention selects as many tokens as the closed form says."""

from attnsvm.audit.evaluation import Claims, NoInstance, Reading, some
from attnsvm.audit.numbers import Limit, sample_mean
from attnsvm.audit.rows import where

CLAIMS = Claims(group="paper")


@CLAIMS.add(
    short="penalised head: tokens selected",
    statement="A head that penalises length selects more tokens under a stronger penalty, and obeys the generalised "
    "SVM.",
    measured="mean error of the number of selected tokens, in tokens",
    limit=Limit(
        0.25, "≤ {}", "tokens whose optimal share is near the selection threshold of 1e-3 are counted either way"
    ),
    near=Limit(0.02, "median of 1 − correlation with W_SVMeq at every penalty ≤ {}", "an angle of 11°"),
)
def selected_count(tables, limit, near):
    once = some(where(tables.own(), solution="svmeq"), "instance with certified solutions")
    error = sample_mean((once["selected"] - once["optimal"]).abs())
    means = once.groupby("lambda")["selected"].mean()
    if len(means) < 2:
        raise NoInstance("second penalty")
    worst = once.groupby("lambda")["value"].median().max()
    parts = {
        "number of selected tokens as in the closed form, within the threshold": limit(error),
        "the mean number rises with the penalty": means.is_monotonic_increasing and means.iloc[-1] > means.iloc[0],
        f"W_SVMeq: median 1 − correlation at most {near.value} at every penalty ({worst:.2g})": near(worst),
    }
    return Reading(*error, parts)
