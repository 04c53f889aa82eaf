"""What the rows of every kind go to."""

import numpy as np

from attnsvm.analysis.composition import Rows, forward
from attnsvm.analysis.ends import Ends, equal_tokens, with_mixtures, with_winners
from attnsvm.analysis.stacked import norms
from attnsvm.data.architecture import Stack
from attnsvm.experiments.beyond.layers_beyond.kinds import Kind, between, stack_of
from attnsvm.training.late import shaken

SATURATED = 0.99  # least largest probability of every row that counts


def rows_at(problems, run, kind: Kind, place: int) -> Rows:
    """The rows at a logged step, the top over what stands between the layers."""
    W = run["weights"][:, place] / np.array([kind.below, kind.top])[:, None, None, None]
    plain = forward(stack_of(kind), problems.tokens, problems.queries, W, run.get("values"))
    if not kind.between:
        return plain
    seen = between(kind, plain.tokens[:, 1], run)
    top = forward(Stack(layers=1), seen, problems.queries, W[:, 1:]).top
    return Rows(plain.below, top, np.stack([problems.tokens, seen], axis=1))


def _through(ends: Ends, problems, kind: Kind, run) -> Ends:
    if not kind.between:
        return ends
    X, p = problems.tokens, np.exp(ends.rows.below[:, 0, 0])
    tokens = np.stack([X, between(kind, X + p @ X, run)], axis=1)
    return ends._replace(rows=ends.rows._replace(tokens=tokens))


def stated(problems, run, kind: Kind) -> Ends:
    ends = with_winners(stack_of(kind), rows_at(problems, run, kind, -1), run.get("values"))
    return _through(ends, problems, kind, run)


def corrected(problems, run, kind: Kind) -> Ends:
    half = int(np.searchsorted(run["steps"], run["steps"][-1] // 2))
    early, late = (rows_at(problems, run, kind, place) for place in (half, -1))
    length = norms(run["weights"])
    lengths = length[:, half], length[:, -1]
    beside = (rows_at(problems, one, kind, -1) for one in shaken(run, run["steps"][-1]))
    return _through(with_mixtures(stack_of(kind), early, late, lengths, run.get("values"), beside), problems, kind, run)


def saturated(problems, run, kind: Kind, ends: Ends) -> np.ndarray:
    """Whether every row that counts has a token of probability .99, with its copies, after the last step, (S,)."""
    rows = rows_at(problems, run, kind, -1)
    below, top = (
        (np.exp(logs) @ equal_tokens(rows.tokens[:, layer])[:, None]).max(-1)
        for layer, logs in enumerate((rows.below[:, 0], rows.top))
    )
    largest = np.where(ends.counts[:, :1], below, 1.0).min((1, 2, 3))
    return np.minimum(largest, top.min((1, 2, 3))) >= SATURATED
