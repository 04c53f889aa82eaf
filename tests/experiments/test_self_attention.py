"""The figure of self-attention; the tables that it draws are tested with those of the experiments they are twins of."""

import numpy as np
from drawing import assert_drawn, convergence_types, local_convergence, together

from attnsvm.experiments.self_attention import figure


def test_every_number_of_the_table_is_drawn():
    curves, types = local_convergence(), convergence_types()
    table = together(self_local_convergence=curves, self_convergence_types=types)
    assert_drawn(figure.draw, table, np.concatenate([curves[["step", "mean"]], types[["d", "share"]]]))
