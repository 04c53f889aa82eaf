"""What the rows of S trained stacks go to: a winner each, or for some a mixture; and which of them a force holds."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from attnsvm.analysis.composition import Rows, costs, in_the_limit, level, of_winners, reached
from attnsvm.data.architecture import Stack, counting_rows

COPY = 1e-9  # distance of two tokens, relative to the longest, up to which no W is asked to tell one from the other


class Ends(NamedTuple):
    """What S stacks go to.

    Attributes:
        rows: with the tokens that each layer sees in the end.
        chosen: (S, L − 1, H, n, T) int, the token of largest probability of each row below the top.
        counts: (S, L − 1, n, T) bool, the rows that count.
        level: (S, L − 1, H, n, T, T) bool, the tokens that a row which does not count keeps level with its winner:
            their logits are equal in units of ‖W‖.
    """

    rows: Rows
    chosen: np.ndarray
    counts: np.ndarray
    level: np.ndarray

    @property
    def mixed(self) -> np.ndarray:
        """The tokens, winner aside, that rows share for ever, (S, L − 1, H, n, T, T) bool."""
        others = np.arange(self.level.shape[-1]) != self.chosen[..., None]
        return self.level & others & (self.rows.below > -np.inf)


def with_winners(stack: Stack, rows: Rows, values: np.ndarray | None = None) -> Ends:
    """As if each row went to the token that it selects now; values: (S, L, H, d, d) or None."""
    return _ends(stack, of_winners(stack, rows, values), rows)


def with_mixtures(
    stack: Stack,
    early: Rows,
    late: Rows,
    norms: tuple[np.ndarray, np.ndarray],
    values: np.ndarray | None = None,
    shaken: Iterable[Rows] = (),
) -> Ends:
    """What the rows go to by two steps of training, at which ‖W‖ is `norms`, (S,) each.

    Args:
        shaken: the rows at steps just before `late`. Steps of constant length make the cost of a row swing by more than
            what tells a tie: a gradient of the leading size reaches a row if it does at the least of these costs.
    """
    ends = _ends(stack, in_the_limit(stack, early, late, norms, values), late)
    each = [reached(costs(stack, one), norms[1], least_margins(one, ends)) for one in (late, *shaken)]
    return ends._replace(level=level(early, late, norms, np.logical_or.reduce(each) & ~ends.counts))


def least_margins(now: Rows, ends: Ends) -> np.ndarray:
    """The least margin of the rows of each layer below the top that count, (S, L − 1); copies of a winner have none."""
    copies = _copies(ends.rows.tokens[:, :-1, None], ends.chosen)
    margin = np.where(copies, np.inf, now.below.max(-1, keepdims=True) - now.below).min(-1)
    return np.where(ends.counts[:, :, None], margin, np.inf).min((2, 3, 4))


def equal_tokens(tokens: np.ndarray) -> np.ndarray:
    """Which tokens (..., T, d) are copies of which, (..., T, T) bool; each is one of itself."""
    longest = np.linalg.norm(tokens, axis=-1).max(-1)[..., None, None]
    return np.linalg.norm(tokens[..., :, None, :] - tokens[..., None, :, :], axis=-1) <= COPY * longest


def _ends(stack: Stack, limit: Rows, now: Rows) -> Ends:
    chosen = now.below.argmax(-1)
    below = _copies(limit.tokens[:, :-1, None], chosen)
    top = _copies(limit.tokens[:, -1, None], now.top.argmax(-1))
    counts = counting_rows(below, top, passed=stack.residual)
    return Ends(limit, chosen, counts, np.zeros(limit.below.shape, dtype=bool))


def _copies(tokens: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """Which tokens (..., n, T, d) equal the one chosen by each row (..., n, R), (..., n, R, T) bool."""
    same = np.broadcast_to(equal_tokens(tokens), (*chosen.shape[:-1], *tokens.shape[-2:-1] * 2))
    return np.take_along_axis(same, chosen[..., None], -2)
