"""What the rows go to, and what each rule of margins asks of the layer below."""

import numpy as np

from attnsvm import geometry
from attnsvm.analysis.composition import Rows, forward
from attnsvm.analysis.ends import Ends, least_margins, with_mixtures
from attnsvm.analysis.stacked import norms
from attnsvm.experiments.other_steps.runs import SEPARATE
from attnsvm.svm.law import constraints_below, graded_bounds


def rows_at(problems, run, place: int) -> Rows:
    """The rows at a logged step."""
    return forward(SEPARATE, problems.tokens, problems.queries, run["weights"][:, place])


def ends_of(problems, run) -> Ends:
    """What the rows go to by the last two logged steps."""
    length = norms(run["weights"])
    early, late = (rows_at(problems, run, place) for place in (-2, -1))
    return with_mixtures(SEPARATE, early, late, (length[:, -2], length[:, -1]))


def separators(top: dict, run) -> np.ndarray:
    """The solutions of the top, (S, d, d); the weights where there is none."""
    return np.where((top["status"] == "solved")[:, None, None], top["W"], run["weights"][:, -1, 1, 0])


def below(problems, run, top: np.ndarray, norm: str) -> dict:
    """The constraints of the layer below by each rule of margins, {rule: (S,) constraints}.

    Args:
        top: (S, d, d), the solutions of the top in `norm`.
    """
    ends, measure = ends_of(problems, run), geometry.get(norm)
    size = np.linalg.norm(top, axis=(1, 2))
    length = measure.value(run["weights"][:, -1, 1, 0]) / measure.value(top) * size
    rate = least_margins(rows_at(problems, run, -1), ends)[:, 0]
    graded = graded_bounds(ends, problems.queries, top, length, rate)
    asked = {"graded": graded, "margin 0": ends.counts[:, 0].astype(float)}
    asked["free"] = np.where(ends.counts[:, 0], 1.0, np.inf)
    held = {rule: ends.level & (bound == 0.0)[:, None, None, ..., None] for rule, bound in asked.items()}
    return {
        rule: constraints_below(SEPARATE, ends._replace(level=held[rule]), 1, bound) for rule, bound in asked.items()
    }
