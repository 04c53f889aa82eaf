"""How far every accepted run ends from the generalised SVM and from the plain ones, beside how saturated it is."""

from attnsvm.experiments.paper.multi_token.measures import measures as measures
from attnsvm.system.errors import require

SOLUTIONS = ("svmeq_norm", "mm", "one_token")


def table(measures, settings):
    rows = measures.instances
    ends = rows[(rows["step"] == rows["step"].max()) & rows["solution"].isin(SOLUTIONS)]
    wide = ends.pivot_table(index=["d", "seed", "unselected_max"], columns="solution", values="value").reset_index()
    fewest = wide.groupby("d").size().reindex(measures.outcomes["d"].unique(), fill_value=0).min()
    require(
        fewest >= settings["accepted"],
        f"saturated_sets: only {fewest} seeds were accepted at some d: raise "
        "experiments.saturated_sets.problems.candidates in the configuration",
    )
    return wide[["d", "seed", "unselected_max", *SOLUTIONS]]
