"""One instance in the plane: one token of each input set apart from a cloud of the others."""

import torch

from attnsvm.draws import draw_cell, unit
from attnsvm.experiments.trajectories.problems import cells

__all__ = ["cells", "one_token_apart", "problems"]


def problems(cell, settings):
    return draw_cell(one_token_apart, cell)


def one_token_apart(generator, n: int, T: int, d: int):
    """The first tokens at (1, ±½), all others around (−1, 0); labels +1 (n = d = 2)."""
    v = torch.randn(d, generator=generator)
    v /= torch.norm(v)
    tokens = 0.5 * torch.randn((n, T, d), generator=generator)
    tokens[0, 0] = torch.tensor([1.0, 0.5])
    tokens[1, 0] = torch.tensor([1.0, -0.5])
    tokens[:, 1:] += torch.tensor([-1.0, 0.0])
    queries = unit(torch.randn((n, d), generator=generator))
    return tokens, queries, torch.ones(n), v
