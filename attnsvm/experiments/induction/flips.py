"""What the claims must notice: a made-up table on which they hold, and changes of it."""

import pandas as pd

from attnsvm.audit.flips import Empty, Flip, quantities
from attnsvm.experiments.induction.runs import RUNS, SLOW, TASK

SHARES = {"start times 16": 0.0, "norm each, 1:1": 0.4, "24 inputs": 0.05, "permuted answers": 0.0}


def table():
    """The circuit forms but from a large start, with a fast layer below, of few inputs, or without a rule to learn."""
    rows = [{"run": run, "quantity": "share formed", "value": SHARES.get(run, 0.95)} for run in RUNS]
    near = {"top": 0.001, "growth, needed": 0.002, "growth, answer's row": 0.2, "growth, moved": 1.4}
    parts = {"answer's row": 1.0, "query's row": 1.0, "other rows, first place": 0.5, "other rows, other tokens": 0.0}
    near |= {f"part, {kind}": value for kind, value in parts.items()}
    for run, pace, force in ((TASK, 2.0, 1.0), (SLOW, 9.0, 0.01)):
        rows += quantities(near | {"pace": pace, "force": force}, run=run)
    table = pd.DataFrame(rows).assign(step=100, instances=32)
    off = 0.05 * table["quantity"].eq("share formed") + 0.01 * table["value"] * table["quantity"].ne("share formed")
    off = off.where(~table["quantity"].str.startswith("part"), 0.0)
    return table.assign(low=table["value"] - off, high=table["value"] + off, largest=table["value"] + off)


FLIPS = {
    "induction_forms": Flip("run == 'permuted answers'", "high", 0.5),
    "induction_decides": Flip("run == '24 inputs'", "high", 0.95),
    "induction_layers": Flip(f"run == '{SLOW}' and quantity == 'growth, needed'", "high", 0.3),
    "induction_logarithm": Flip(f"run == '{TASK}' and quantity == 'pace'", "low", 1.0),
    "induction_force": Flip(f"run == '{TASK}' and quantity == 'force'", "high", 2.0),
    "induction_rows": Flip(f"run == '{TASK}' and quantity == 'part, other rows, other tokens'", "high", 0.1),
}
WITHOUT = {
    run: [Empty(f"run != '{run}'", f"measured instance of the run '{run}'")]
    for run in ("start times 0.25", "start times 16", TASK, SLOW)
}
EMPTY = {
    "induction_forms": WITHOUT["start times 0.25"],
    "induction_decides": WITHOUT["start times 16"],
    "induction_layers": WITHOUT[TASK],
    "induction_logarithm": WITHOUT[SLOW],
    "induction_force": WITHOUT[SLOW],
    "induction_rows": WITHOUT[TASK],
}
