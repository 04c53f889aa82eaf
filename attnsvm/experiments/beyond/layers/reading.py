"""What readings of the law of layers share: rows of its table, by stack, layer and quantity."""

import pandas as pd

from attnsvm.audit.conditions import LAST, Condition, number
from attnsvm.audit.evaluation import Reading
from attnsvm.audit.numbers import Estimate, estimate, largest
from attnsvm.audit.rows import one

end = number(step=LAST, missing="measured instance of the stack '{architecture}'")


def ratio_at_bottom(architecture, rule, law, words) -> tuple[Condition, Condition]:
    """How many times as far the bottom layer of a stack is by another rule, and that their intervals are apart."""
    bottom = end(architecture=architecture, layer=1)
    near, far = bottom(quantity=law), bottom(quantity=rule)
    why = "a factor that no interval of a median could make"
    return (far / near).must("≥ 10", why, "by the factor asked"), far.above(near, words)


def compared(table) -> pd.DataFrame:
    """The rows of the last step that all stacks have."""
    return table[table["step"] == table.groupby("architecture")["step"].max().min()]


def at(rows, architecture, layer, quantity) -> Estimate:
    missing = f"measured instance of the stack '{architecture}'"
    return estimate(one(rows, missing, architecture=architecture, layer=layer, quantity=quantity))


def farthest(laws, near, further=None) -> Reading:
    """The largest of all distances, with the fewest instances of any."""
    return Reading(*largest(laws)[:3], min(law.instances for law in laws), near, further or {})
