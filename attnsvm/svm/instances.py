"""The max-margin problems of a batch of instances, solved and stacked."""

from collections.abc import Iterable

import numpy as np

from attnsvm.analysis.selection import different_choices
from attnsvm.data.inputs import ATTENTIONS
from attnsvm.data.problems import Problems
from attnsvm.svm.constraints import Constraints, separations, sequence
from attnsvm.svm.solution import as_arrays
from attnsvm.svm.solver import solve_batch


def certified(
    problems: Problems,
    selected: np.ndarray,
    norm: str,
    attention: str = "cross",
    bound: float | np.ndarray = 1.0,
    ranks: bool = False,
    method: str | None = None,
) -> dict[str, np.ndarray]:
    """The max-margin solutions that separate the selected tokens of S instances, stacked; see `as_arrays`.

    Args:
        problems: the instances; their queries count for cross-attention only.
        selected: (S, n) int, one token per input; or (S, n, T) bool, a set per input. With "sequence" and "causal"
            attention, (S, n, T) or (S, n·T) int: the token that the query at each position selects.
        norm: as in `solve`.
        attention: "cross", "self", "sequence" or "causal".
        bound: the margins, a number or one per instance (S, ...): see `separation` and `sequence` for the other axes.
        ranks: as in `as_arrays`. method: as in `solve`.
    """
    bounds = [bound] * len(problems) if np.ndim(bound) == 0 else [*np.asarray(bound)]
    if attention in ("sequence", "causal"):
        each = zip(problems.tokens, np.reshape(selected, problems.tokens.shape[:3]), bounds, strict=True)
        causal = attention == "causal"
        batch: list[Constraints] = [sequence(tokens, chosen, causal, margin) for tokens, chosen, margin in each]
    else:
        batch = separations(problems.tokens, ATTENTIONS[attention](problems).queries, selected, bounds)
    return answers(batch, norm, method, ranks)


def answers(
    batch: list[Constraints], norm: str = "fro", method: str | None = None, ranks: bool = False
) -> dict[str, np.ndarray]:
    """The solutions of some problems, stacked; see `solve_batch` and `as_arrays`."""
    return as_arrays(solve_batch(batch, norm, method=method), ranks)


def certified_once(problems: Problems, selected: dict[str, np.ndarray], norms: Iterable[str], method=None) -> dict:
    """The solutions in several norms of what each of several runs selects; where runs select the same, solved once.

    Args:
        problems: S instances, each of which every run is on.
        selected: by run, (S, n) int.
        method: as in `solve`.

    Returns:
        "selected": (U, n), the different choices; "solutions": by norm, see `certified`, those of the U choices;
        "place": by run, (S,), which of the choices each instance has.
    """
    owner, tokens, place = different_choices(np.stack(list(selected.values())))
    return {
        "place": dict(zip(selected, place, strict=True)),
        "selected": tokens,
        "solutions": {norm: certified(problems[owner], tokens, norm, method=method) for norm in norms},
    }
