"""What the rows of every kind go to."""

import numpy as np

from attnsvm.analysis.composition import Rows, forward
from attnsvm.analysis.ends import Ends, with_mixtures, with_winners
from attnsvm.analysis.stacked import norms
from attnsvm.architecture import Stack
from attnsvm.experiments.layers_beyond.kinds import Kind, between

TWO = Stack(layers=2)
SATURATED = 0.99  # least largest probability of every row that counts


def rows_at(problems, run, kind: Kind, place: int) -> Rows:
    """The rows at a logged step, the top over what stands between the layers."""
    W = run["weights"][:, place] / np.array([kind.below, kind.top])[:, None, None, None]
    plain = forward(TWO, problems.tokens, problems.queries, W)
    seen = between(kind, plain.tokens[:, 1], run)
    top = forward(Stack(layers=1), seen, problems.queries, W[:, 1:]).top
    return Rows(plain.below, top, np.stack([problems.tokens, seen], axis=1))


def _through(ends: Ends, problems, kind: Kind, run) -> Ends:
    X, p = problems.tokens, np.exp(ends.rows.below[:, 0, 0])
    tokens = np.stack([X, between(kind, X + p @ X, run)], axis=1)
    return ends._replace(rows=ends.rows._replace(tokens=tokens))


def stated(problems, run, kind: Kind) -> Ends:
    return _through(with_winners(TWO, rows_at(problems, run, kind, -1)), problems, kind, run)


def corrected(problems, run, kind: Kind) -> Ends:
    half = int(np.searchsorted(run["steps"], run["steps"][-1] // 2))
    early, late = (rows_at(problems, run, kind, place) for place in (half, -1))
    length = norms(run["weights"])
    return _through(with_mixtures(TWO, early, late, (length[:, half], length[:, -1])), problems, kind, run)


def saturated(problems, run, kind: Kind, ends: Ends) -> np.ndarray:
    """Whether every row that counts has a token of probability .99 after the last step, (S,)."""
    rows = rows_at(problems, run, kind, -1)
    largest = np.where(ends.counts[:, 0], np.exp(rows.below[:, 0, 0]).max(-1), 1.0).min((1, 2))
    return np.minimum(largest, np.exp(rows.top).max(-1).min((1, 2, 3))) >= SATURATED
