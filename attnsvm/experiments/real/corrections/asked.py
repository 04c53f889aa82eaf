"""What is asked of a changed head: named mistakes come right, and what is right is kept."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from attnsvm.experiments.real.known_answers.asked import FACTS, Asked, of_all
from attnsvm.svm.constraints import TokenConstraints

NAMED, KEPT = 1, 2  # what a query is in a draw
MARGIN = 1.0  # logits: the right atom is e times as likely as the next one


@dataclass(frozen=True)
class Draw:
    """Some mistakes of one template, and mappings to be kept.

    Attributes:
        asks: the named mistakes and what is kept, one after another. named: (m,) bool, which are mistakes.
        held: the held-out queries. wrong: (M,) bool, where the head errs. same: (M,) bool, queries of the template.
        template: its number.
    """

    asks: Asked
    named: np.ndarray
    held: Asked
    wrong: np.ndarray
    same: np.ndarray
    template: int

    def constraints(self, W: np.ndarray) -> TokenConstraints:
        """Mistakes win by `MARGIN`; what is right keeps its margin under W, or `MARGIN` where it has more."""
        c = self.asks.constraints(self.asks.answer)
        now = c.apply(W)
        bound = np.where(self.named[c.index[:, 0]], MARGIN, np.minimum(now, MARGIN))
        return TokenConstraints(c.factors, bound, c.equality, c.index)

    def outcome(self, W: np.ndarray) -> dict[str, float]:
        """How a changed W fares, by the quantities of the card; NaN for a W that is not known."""
        if not np.isfinite(W).all():
            return dict.fromkeys(("named", "same", "broken", "other", "net", "lost"), float("nan"))
        kept, held = (one.selections(W) == one.answer for one in (self.asks, self.held))
        gained, broken = self.wrong & held, ~self.wrong & ~held
        return {
            "named": float(kept[self.named].mean()),
            "same": float(held[self.wrong & self.same].mean()),
            "broken": float(broken.sum()),
            "other": float((gained & ~self.same).sum()),
            "net": float(gained.sum()) - float(broken.sum()),
            "lost": float((~kept[~self.named]).sum()),
        }


def head(problems, s: int) -> np.ndarray:
    """(d, d) of the head of instance s."""
    keys, queries = problems.head[s]
    return keys.T @ queries


def draws(problems, s: int) -> Iterator[Draw]:
    """Those of instance s."""
    labels = problems.labels[s].astype(int)
    every, away = of_all(problems.tokens[s], labels, problems.lengths[s])
    held = every.take(away)
    wrong = held.selections(head(problems, s)) != held.answer
    for marks in labels[:, len(FACTS) :].swapaxes(0, 1):
        own = marks[labels[:, 0] >= 0]
        rows = np.flatnonzero(own)
        named = own[rows] == NAMED
        (template,) = np.unique(every.template[rows[named]])
        yield Draw(every.take(rows), named, held, wrong, held.template == template, int(template))
