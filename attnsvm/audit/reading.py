"""What a claim is, what is read for it, and how the reading becomes a verdict."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import pandas as pd

from attnsvm.files.store import load_csv

HOLDS, IN_PART, FAILS, DIFFERS, UNTESTABLE = "holds", "holds in part", "fails", "differs from print", "untestable"
VERDICTS = (HOLDS, IN_PART, FAILS, DIFFERS, UNTESTABLE)
GROUPS = {
    "paper": "Claims of the paper",
    "ours": "Beyond the paper",
    "secondary": "Attributed to it by secondary summaries",
    "print": "Defects of the published experiments",
}


@dataclass(frozen=True)
class Reading:
    """What the tables say about a claim.

    Attributes:
        value: the number that the statement is about.
        low, high: its interval; NaN where the value is exact or an extreme.
        instances: how many instances it is over.
        parts: the conditions that together are the claim, by what they say.
        published: the number as printed, of a claim about print; NaN otherwise.
    """

    value: float
    low: float
    high: float
    instances: int
    parts: dict[str, bool]
    published: float = float("nan")

    @property
    def verdict(self) -> str:
        met = [bool(part) for part in self.parts.values()]
        if pd.notna(self.published):
            return HOLDS if all(met) else DIFFERS
        return HOLDS if all(met) else IN_PART if any(met) else FAILS


@dataclass(frozen=True)
class Tables:
    """The csv files of a run under `folder`: figures/<name>.csv, results/<experiment>/{outcomes,certificates}.csv."""

    folder: Path
    cache: dict = field(default_factory=dict)

    def figure(self, name: str) -> pd.DataFrame:
        return self._read(f"figures/{name}.csv")

    def outcomes(self, experiment: str) -> pd.DataFrame:
        return self._read(f"results/{experiment}/outcomes.csv")

    def certificates(self, experiment: str) -> pd.DataFrame:
        return self._read(f"results/{experiment}/certificates.csv")

    def _read(self, path: str) -> pd.DataFrame:
        if path not in self.cache:
            self.cache[path] = load_csv(Path(self.folder) / path)
        return self.cache[path]


@dataclass(frozen=True)
class Claim:
    """One row of the audit.

    Attributes:
        key: a short name, unique.
        group: a key of `GROUPS`.
        statement: the claim in our words.
        check: what is measured.
        threshold: the number that decides, or the largest or least value allowed; NaN if there is none.
        why: why that threshold; of an untestable claim, the reason.
        figure: the figure to look at; "" if there is none.
        read: the reading of the tables; None if the claim cannot be tested.
    """

    key: str
    group: str
    statement: str
    check: str
    threshold: float
    why: str
    figure: str
    read: Callable[[Tables, float], Reading] | None

    @cached_property
    def testable(self) -> bool:
        return self.read is not None
