"""What the rows go to, and what each rule of margins asks of the layer below."""

import numpy as np

from attnsvm.analysis.composition import Rows, forward
from attnsvm.analysis.ends import Ends, least_margins, with_mixtures
from attnsvm.analysis.stacked import norms
from attnsvm.experiments.beyond.other_steps.runs import SEPARATE
from attnsvm.svm.law import constraints_below, graded_bounds
from attnsvm.training.late import shaken


def rows_at(problems, run, place: int) -> Rows:
    """The rows at a logged step."""
    return forward(SEPARATE, problems.tokens, problems.queries, run["weights"][:, place])


def ends_of(problems, run) -> Ends:
    """What the rows go to by the last two logged steps."""
    length = norms(run["weights"])
    early, late = (rows_at(problems, run, place) for place in (-2, -1))
    beside = (rows_at(problems, one, -1) for one in shaken(run, run["steps"][-1]))
    return with_mixtures(SEPARATE, early, late, (length[:, -2], length[:, -1]), shaken=beside)


def below(problems, run) -> dict:
    """The constraints of the layer below by each rule of margins, {rule: (S,) constraints}.

    The cost of a row is the margin of its composed token under the top as it is trained: in most norms the solution of
    the top is not the only one, and its other margins are not those that descent chooses.
    """
    ends, top = ends_of(problems, run), run["weights"][:, -1, 1, 0]
    rate = least_margins(rows_at(problems, run, -1), ends)[:, 0]
    graded = graded_bounds(ends, problems.queries, top, np.linalg.norm(top, axis=(1, 2)), rate)
    bounds = {"graded": graded, "margin 0": ends.counts[:, 0].astype(float)}
    bounds["free"] = np.where(ends.counts[:, 0], 1.0, np.inf)
    found = {}
    for rule, bound in bounds.items():
        held = ends.level & (bound == 0.0)[:, None, None, ..., None]
        found[rule] = constraints_below(SEPARATE, ends._replace(level=held), 1, bound)
    return found
