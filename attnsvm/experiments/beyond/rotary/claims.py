"""The theorem carries over to rotary attention with a free W, and what rotation adds is parameters."""

from attnsvm.audit.conditions import FIRST, MOST, number
from attnsvm.audit.evaluation import Claims, Reading, some
from attnsvm.audit.numbers import Limit, each, share_of, smallest
from attnsvm.audit.rows import decade

FALL = 10  # times nearer after a decade of steps: a start that stays and a norm that grows with the steps give 100
MANY = 1.0  # parameters for each constraint, from which on nearly any choice can be separated
CLAIMS = Claims(group="ours")


@CLAIMS.add(
    short="rotary attention with a free W goes to its lifted SVM",
    statement="With rotary positions and a free W for each frequency, descent goes to the Frobenius solution of its "
    "tokens, lifted by features of their distance.",
    measured="share of runs that end there, ten times nearer than a decade before, and not nearer the reversed one",
    limit=Limit(0.8, "share ≥ {}", "a run may still be leaving tokens that are no local optimum; most must not"),
    near=Limit(1e-3, "1 − correlation ≤ {}", "an angle of 2.6 degrees; a prototype had 1e-5 after as many steps"),
)
def rotary_limit(tables, limit, near):
    """The share of runs with rotation that approach their solution and no other, the smallest of the frequencies."""
    table = tables.own()
    table = table[table["seed"].notna()]
    turned = some(table[(table["F"] > 0) & (table["room"] >= MANY)], "run with frequencies and many parameters")
    end, before = (row["step"] for row in decade(turned.sort_values("step")))
    found = {}
    for F, runs in turned.groupby("F"):
        wide = runs.pivot(index=["d", "seed"], columns="step", values=["distance", "reversed"])
        own, past = wide["distance"][end], wide["distance"][before]
        good = (own <= near.value) & (past >= FALL * own) & ~(wide["reversed"][end] <= own)
        found[f"{F}"] = share_of(good)
    parts = each(found, "runs with {} frequencies", limit)
    return Reading(*smallest(found)[:3], len(turned.groupby(["d", "F", "seed"])), parts)


separable = number(
    quantity="separable",
    d=FIRST,
    missing="shape with frequencies and shape without",
    text="share of random choices that are separable",
)
CLAIMS.declare(
    "rotary_adds",
    (separable(F=MOST) - separable(F=0)).must(
        "added share ≥ 0.5",
        "most choices; rotation cannot lower the share, and might add nothing",
        "most choices become separable",
    ),
    short="rotation adds to what can be separated",
    statement="At the smallest dimension, most random choices of tokens that content alone does not separate become "
    "separable by rotation.",
)
