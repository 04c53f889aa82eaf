"""What the rules say after R steps, and what has become of it after 2R and 8R."""

import numpy as np
import pandas as pd

from attnsvm.analysis.composition import FALL, SHARED, costs, reached
from attnsvm.analysis.ends import least_margins, with_winners
from attnsvm.analysis.measured import Measures, outcomes
from attnsvm.analysis.stacked import SATURATED, norms
from attnsvm.analysis.statistics import SHARE, wilson
from attnsvm.data.architecture import Stack
from attnsvm.experiments.beyond.layers.reading_rules.ends import rows_at

TWO, AGAINST = Stack(layers=2), {2: 1, 8: 3}  # {times the steps: doublings}
STAYS = -0.5  # slope of log p against log ‖W‖ of a mixture, at least: half-way to that of a held row
FIRST = 3  # doublings before the first step that is read
MIXTURES = {  # {rule: (doublings between its two steps, least slope, least probability in the limit or least p)}
    "used": (1, FALL, SHARED, None),
    "0.03": (1, FALL, 0.03, None),
    "0.1": (1, FALL, 0.1, None),
    "far": (3, FALL, SHARED, None),
    "slope": (1, STAYS, None, SHARED),
    "far slope": (3, STAYS, None, SHARED),
    "last": (0, None, None, SHARED),
}


def measures(cell, problems, trained, solved, settings):
    length, count = norms(trained["weights"]), len(trained["steps"])
    run = [_Read(problems, trained, place) for place in range(count)]
    frames = []
    for place in range(FIRST, count - 1):
        for against, more in AGAINST.items():
            if place + more < count:
                said = dict(_said(run, length, place, place + more))
                frames += [
                    pd.DataFrame({"rule": rule, "steps": trained["steps"][place], "against": against, **columns})
                    for rule, columns in said.items()
                ]
    rows = pd.concat(frames).assign(seed=lambda frame: problems.seeds[frame["place"]]).drop(columns="place")
    return Measures(rows, outcomes(cell, problems.seeds, "measured"))


def table(measures, settings):
    """The shares over all instances."""
    rows = []
    for (rule, steps, against), own in measures.instances.groupby(["rule", "steps", "against"], sort=False):
        for quantity, hits, of in (("wrong", "wrong", "said"), ("missed", "missed", "there")):
            if own[of].sum():
                value, low, high = wilson(own[hits].sum(), own[of].sum())
                shown = {"rule": rule, "steps": steps, "against": against, "quantity": quantity, "value": value}
                rows.append(shown | {"low": low, "high": high, "instances": own[of].sum(), "interval": SHARE})
    return pd.DataFrame(rows)


class _Read:
    """The layer below at a logged step: logarithms of its probabilities (S, n, T, T), its winners (S, n, T), the rows
    that a gradient reaches and do not count (S, n, T); and of the top the winners (S, n) and how sure they are (S,)."""

    def __init__(self, problems, trained, place: int):
        rows = rows_at(problems, trained, TWO, place)
        ends = with_winners(TWO, rows)
        length = norms(trained["weights"])[:, place]
        self.logs = rows.below[:, 0, 0]
        self.winner, self.top = self.logs.argmax(-1), rows.top[:, 0, :, 0].argmax(-1)
        self.free = ~ends.counts[:, 0]
        self.near = reached(costs(TWO, rows), length, least_margins(rows, ends))[:, 0] & self.free
        self.saturated = np.exp(rows.top.max(-1)).min((1, 2, 3)) >= SATURATED


def _said(run: list[_Read], length: np.ndarray, place: int, end: int):
    """(rule, what each instance adds to its counts)."""
    now, then = run[place], run[end]
    lost = ~then.saturated | (now.top != then.top).any(1)
    yield "saturated", _counts(now.saturated, now.saturated & lost)
    yield "winner", _counts(np.ones_like(now.near), now.winner != then.winner)
    yield "reached", _counts(now.near, now.near & ~then.near)
    stays = _shared(run, length, place, end, STAYS, None, SHARED)
    stays = (stays & _others(then)).any(-1) & now.free
    for name, (before, slope, limit, least) in MIXTURES.items():
        kept = _shared(run, length, place - before, place, slope, limit, least)
        kept = (kept & _others(now)).any(-1) & now.near
        yield f"mixture, {name}", _counts(kept, kept & ~stays, stays, stays & ~kept)


def _others(read: _Read) -> np.ndarray:
    """The tokens that are not the winner of their row, (S, n, T, T) bool."""
    return np.arange(read.logs.shape[-1]) != read.winner[..., None]


def _shared(run, length, first: int, last: int, slope, limit, least) -> np.ndarray:
    """The tokens that stay by two steps, (S, n, T, T) bool: see `MIXTURES`."""
    early, late = run[first].logs, run[last].logs
    before, after = (length[:, place].reshape(-1, 1, 1, 1) for place in (first, last))
    found = np.ones(late.shape, dtype=bool)
    if slope is not None:
        found &= late - early >= slope * np.log(after / before)
    if limit is not None:
        found &= (after * np.exp(late) - before * np.exp(early)) / (after - before) > limit
    if least is not None:
        found &= late > np.log(least)
    return found


def _counts(said, wrong, there=None, missed=None) -> dict[str, np.ndarray]:
    """Per instance, how often a rule says something, is wrong, how much there is to see, and how much it misses."""
    of = {"said": said, "wrong": wrong, "there": there, "missed": missed}
    S = len(said)
    sums = {name: np.zeros(S, int) if one is None else one.reshape(S, -1).sum(1) for name, one in of.items()}
    return {"place": np.arange(S)} | sums
