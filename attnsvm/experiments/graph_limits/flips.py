"""What the claims must notice: a made-up table on which they hold, and changes of it."""

from attnsvm.audit.flips import Empty, Flip

ENDS = {("squared", "graded"): 1e-5, ("squared", "fro"): 0.05, ("factored", "nuc"): 0.003, ("factored", "fro"): 0.08}


def table():
    """Both kinds near the solution that is claimed, in every data set, and nearer with every decade of steps."""
    return [
        {"graphs": kind, "run": run, "solution": solution, "seed": seed, "step": step}
        | {"value": value * (1 + seed / 60) * (100 / step) ** (solution != "fro")}
        for kind in ("cyclic", "acyclic")
        for (run, solution), value in ENDS.items()
        for seed in range(60)
        for step in (1, 10, 100)
    ]


FLIPS = {
    "graph_svm_squared_rates": Flip("graphs == 'acyclic' and solution == 'graded' and step == 100", "value", 0.01),
    "graph_svm_factored_tail": Flip(
        "graphs == 'cyclic' and solution == 'nuc' and step == 100 and seed < 9", "value", 0.5
    ),
}
EMPTY = {
    "graph_svm_squared_rates": [Empty("graphs == 'acyclic'", "cyclic data set")],
    "graph_svm_factored_tail": [
        Empty("graphs == 'cyclic'", "acyclic data set"),
        Empty("step == 100", "step about a decade before the last"),
    ],
}
