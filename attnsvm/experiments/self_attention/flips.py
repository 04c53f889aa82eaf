"""What the claims must notice: a made-up table on which they hold, and changes of it."""

import pandas as pd

from attnsvm.audit.flips import Empty, Flip
from attnsvm.experiments.convergence_types import flips as convergence_types
from attnsvm.experiments.local_convergence import flips as local_convergence


def table():
    """The tables of its two twins, as the figure has them: one above the other."""
    twins = {"self_local_convergence": local_convergence, "self_convergence_types": convergence_types}
    return pd.concat([flips.table().assign(experiment=name) for name, flips in twins.items()])


FLIPS = {
    "self_own_norm": Flip("parametrisation == 'KQ' and quantity == 'corr_fro'", "mean", 0.999),
    "self_locally_optimal": Flip("d == 2 and n == 5 and parametrisation == 'KQ' and type == 'not_local'", "share", 0.2),
}
EMPTY = {
    "self_own_norm": [Empty("parametrisation == 'KQ' or share == share", "instance with both solutions certified")],
    "self_locally_optimal": [
        Empty(lambda t: t.assign(share=t.type.isin(["global", "local"]).astype(float)), "run that is not global")
    ],
}
