"""The figure of self-attention; the tables that it draws are tested with those of the experiments they are twins of."""

import pandas as pd
from drawing import FigureCases, convergence_types

from attnsvm.experiments.self_attention import figure

CURVES = pd.DataFrame(
    {"parametrisation": p, "quantity": q, "step": k, "mean": 1 - 0.9**k, "std": 0.1, "instances": 100}
    for p in ("W", "KQ")
    for q in ("softmax", "corr_fro", "corr_nuc")
    for k in range(0, 50, 10)
)


class TestFigure(FigureCases):
    draw = figure.draw
    table = pd.concat(
        [
            CURVES.assign(experiment="self_local_convergence"),
            convergence_types().assign(experiment="self_convergence_types"),
        ],
        ignore_index=True,
    )

    def points(self):
        both = [
            self.table[columns].dropna().set_axis(["x", "y"], axis=1) for columns in (["step", "mean"], ["d", "share"])
        ]
        return pd.concat(both)
