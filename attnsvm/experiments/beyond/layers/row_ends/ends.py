"""What the rows of two trained layers go to, so that the problem of the top does not depend on how a mixture is read.

A row that keeps a mixture is put at the token of it that composes the larger margin above. Its composed token then has
no multiplier, and its share of the other tokens is a prediction of the solution. Where all of them compose the same
margin, β = 0, the row composes the mixture that it keeps: then the multiplier above is that of this token.
"""

import numpy as np

from attnsvm.analysis.ends import Ends
from attnsvm.analysis.selection import SUPPORT_TOLERANCE
from attnsvm.data.architecture import Stack
from attnsvm.experiments.beyond.layers.ends import APART as APART
from attnsvm.experiments.beyond.layers.ends import corrected as corrected
from attnsvm.experiments.beyond.layers.ends import rows_at as rows_at
from attnsvm.experiments.beyond.layers.ends import stated as stated

TWO = Stack(layers=2)


def inside(problems, run) -> Ends:
    """The ends of two layers; every row composes its winner, a mixture the token of it that lies inside the margin."""
    ends = corrected(problems, run, TWO)
    tokens, chosen = problems.tokens, ends.chosen[:, 0, 0]
    shared = ends.mixed[:, 0, 0] | (np.arange(tokens.shape[2]) == chosen[..., None])
    best = np.where(shared, keys(problems, run["weights"][:, -1, 1, 0])[:, :, None], np.inf).argmin(-1)
    chosen = np.where(ends.mixed[:, 0, 0].any(-1), best, chosen)
    composed = ends.rows.tokens.copy()
    composed[:, 1] = tokens + np.take_along_axis(tokens, chosen[..., None], 2)
    return ends._replace(chosen=chosen[:, None, None], rows=ends.rows._replace(tokens=composed))


def with_ties(problems, run, ends: Ends, W: np.ndarray) -> Ends:
    """The ends `inside` with the mixtures that tied rows keep, by the solution of the top W (S, d, d) for these."""
    along, chosen = keys(problems, W), ends.chosen[:, 0, 0]
    beta = np.abs(along[:, :, None] - np.take_along_axis(along, chosen, 2)[..., None])
    zero = beta <= SUPPORT_TOLERANCE * np.abs(along).max((1, 2))[:, None, None, None]
    mixed = ends.mixed[:, 0, 0]
    tied = mixed.any(-1) & (zero | ~mixed).all(-1)
    composed = ends.rows.tokens.copy()
    kept = corrected(problems, run, TWO).rows.tokens
    composed[:, 1] = np.where(tied[..., None], kept[:, 1], composed[:, 1])
    return ends._replace(rows=ends.rows._replace(tokens=composed))


def unmixed(ends: Ends) -> Ends:
    """The same without the equalities of rows that saturate: their level tokens are asked for m ≥ 0."""
    mixed = ends.mixed.any(-1, keepdims=True)
    return ends._replace(level=ends.level & mixed)


def keys(problems, W: np.ndarray) -> np.ndarray:
    """⟨x_t, W z⟩ of the tokens (S, n, T) for a top W (S, d, d): what composing t takes from the margin above."""
    return (problems.tokens @ (problems.queries @ W.swapaxes(1, 2))[..., None])[..., 0]
