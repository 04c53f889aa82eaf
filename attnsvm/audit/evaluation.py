"""Claims, their readings, and how a reading becomes a verdict."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import pandas as pd

from attnsvm.audit.conditions import Condition
from attnsvm.audit.numbers import Limit, exact, turned_round
from attnsvm.audit.rows import NoInstance as NoInstance
from attnsvm.audit.rows import only as only
from attnsvm.audit.rows import some as some
from attnsvm.system.errors import Misread as Misread
from attnsvm.system.errors import UserError, require
from attnsvm.system.store import load_csv

HOLDS, IN_PART, UNDECIDED, MOVING, FAILS = "holds", "holds in part", "undecided", "still moving", "fails"
DIFFERS, UNTESTABLE = "differs from print", "untestable"
VERDICTS = (HOLDS, IN_PART, UNDECIDED, MOVING, FAILS, DIFFERS, UNTESTABLE)
STATUSES = ("solved", "infeasible", "remote", "uncertified")  # of svm.verdict; a headline needs no solver
GROUPS = {
    "paper": "Claims of the paper",
    "ours": "Our own questions about the paper",
    "beyond": "Beyond the paper",
    "secondary": "Attributed to it by secondary summaries",
    "print": "Defects of the published experiments",
}
# What is asked: of the paper a theorem of it, a number in print, or more than it says; else of us, or of others.
WHOSE = {
    "theorem": "theorems of the paper",
    "print": "numbers in print",
    "reading": "our stronger readings of the paper",
    "ours": "our own",
    "literature": "of later papers and summaries",
}
KINDS = tuple(WHOSE)
# Where the words of a theorem come from; the full text of the paper was not at hand.
ABSTRACT, KNOWN = "the paper's abstract", "the paper as its readers know it, by content"
BY_GROUP = {"paper": "reading", "print": "print", "secondary": "literature"}


def counts(claims: pd.DataFrame) -> dict[str, int]:
    """How many rows have each verdict, those that none has left out."""
    counted = {verdict: int((claims["verdict"] == verdict).sum()) for verdict in VERDICTS}
    return {verdict: count for verdict, count in counted.items() if count}


def by_kind(claims: pd.DataFrame) -> dict[str, dict[str, int]]:
    """How many rows of each kind that there is have each verdict."""
    found = {WHOSE[kind]: counts(claims[claims["kind"] == kind]) for kind in KINDS}
    return {whose: counted for whose, counted in found.items() if counted}


def said(found: dict[str, int]) -> str:
    """Counts in words: "12 hold, 1 fails"."""
    many = {HOLDS: "hold", IN_PART: "hold in part", FAILS: "fail", DIFFERS: "differ from print"}
    return ", ".join(f"{count} {many.get(word, word) if count > 1 else word}" for word, count in found.items())


def in_words(claims: pd.DataFrame) -> str:
    """How many claims of each kind, as first asked, have which verdict: "theorems of the paper: 7 hold; ..."."""
    asked = claims[~is_sharper(claims)]
    return "; ".join(f"{whose}: {said(found)}" for whose, found in by_kind(asked).items())


def is_sharper(claims: pd.DataFrame) -> pd.Series:
    """Whether each row sharpens another; in a file that has been read, an empty word is NaN."""
    return claims["sharpens"].fillna("") != ""


@dataclass(frozen=True)
class Reading:
    """What the tables say about a claim.

    Attributes:
        value: the number that the statement is about.
        low, high: its interval; NaN where the value is exact or an extreme.
        instances: the number of instances.
        main: the conditions that are the claim's statement, and whether each is met, by what they say; at least one.
        further: what else was asked: controls, and that the numbers are what they are taken for.
        published: the printed number, for a claim about print; NaN otherwise.
        every: whether the value is the extreme of all instances, each of which has to meet the limit.
        moving: those main conditions that are not met after the last step, and whose numbers still go to their limits
            (`numbers.goes_to`): nobody knows yet whether they get there.
        undecided: those conditions that are not met by the whole of an interval, and would be by one end of it.
        across: whether the number's own interval lies across the claim's limit, though all that was asked is met.
    """

    value: float
    low: float
    high: float
    instances: float
    main: dict[str, bool]
    further: dict[str, bool] = field(default_factory=dict)
    published: float = float("nan")
    every: bool = False
    moving: frozenset[str] = frozenset()
    undecided: frozenset[str] = frozenset()
    across: bool = False

    def __post_init__(self):
        if not self.main:
            raise ValueError("a reading without a main condition would never fail")
        if pd.isna(self.instances):  # a claim says over how many
            raise KeyError("instances")

    @property
    def parts(self) -> dict[str, bool]:
        """All conditions, the main ones first."""
        return self.main | self.further

    @property
    def verdict(self) -> str:
        """A main condition that is not met fails the claim, a further one lets it hold in part; but not where what is
        missing still moves, or where an interval lies across the limit."""
        missed = [what for what, met in self.parts.items() if not met]
        beyond = [what for what in missed if what not in self.undecided]
        if not missed:
            return UNDECIDED if self.across else HOLDS
        if pd.notna(self.published):
            return DIFFERS if beyond else UNDECIDED
        if any(what in self.main for what in beyond if what not in self.moving):
            return FAILS
        if any(what in self.main for what in missed):
            return MOVING if any(what in self.moving for what in beyond) else UNDECIDED
        return IN_PART if beyond else UNDECIDED

    def judged(self, best: "Reading") -> "Reading":
        """The same with what is undecided, given the reading in which every limit is asked of the nearer end of each
        interval."""
        own, other = self.parts, best.parts
        if [*map(len, (self.main, own))] != [*map(len, (best.main, other))]:
            could = [best.verdict == HOLDS] * len(own)
        else:
            could = list(other.values())
        parts = zip(own.items(), could, strict=True)
        return replace(self, undecided=frozenset(what for (what, met), can in parts if can and not met))

    def without(self, unproved: int, share: float) -> "Reading":
        """The same where answers have no proof: undecided, but for an extreme that is missed, which stays missed.

        Args:
            unproved: how many answers; share: the largest share that they are of a solve's answers.
        """
        if self.every and self.verdict in (FAILS, DIFFERS):
            return self
        missing = {f"enough answers are proved: {unproved:,} are not, up to {share:.1%} of a solve": False}
        return replace(self, further=self.further | missing, undecided=frozenset(self.parts | missing))


@dataclass(frozen=True)
class Tables:
    """The csv files of a run under `folder`: figures/<name>.csv, results/<experiment>/{outcomes,certificates}.csv.

    Attributes:
        folder: with the folders figures/ and results/ in it.
        name: the experiment whose claims are read; `own` is its table.
        turned: whether every interval has its ends exchanged.
        draws: {figure: the experiments that it draws}, those whose answers are counted.
        seen: the figures whose tables were read.
    """

    folder: Path
    name: str = ""
    cache: dict = field(default_factory=dict, repr=False)
    turned: bool = False
    draws: Mapping[str, Sequence[str]] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set, repr=False)

    def of(self, name: str) -> "Tables":
        """The same tables for the claims of an experiment."""
        return replace(self, name=name, seen=set())

    def own(self, **values) -> pd.DataFrame:
        """What the experiment's own figure draws; the rows with `values`, see `only`."""
        return only(self.figure(self.name), **values)

    def figure(self, name: str) -> pd.DataFrame:
        self.seen.add(name)
        return self._read(f"figures/{name}.csv")

    def outcomes(self, experiment: str) -> pd.DataFrame:
        return self._read(f"results/{experiment}/outcomes.csv")

    def certificates(self, experiment: str) -> pd.DataFrame:
        return self._read(f"results/{experiment}/certificates.csv")

    def unproved(self) -> tuple[int, int, float]:
        """Of the answers behind the tables that were read: those not proved, all, the largest share of a solve."""
        experiments = dict.fromkeys(one for name in sorted(self.seen) for one in self.draws.get(name, ()))
        counted = pd.concat([self.certificates(one) for one in experiments] or [pd.DataFrame(columns=list(STATUSES))])
        left, all_of = counted["uncertified"], counted[list(STATUSES)].sum(axis=1)
        return int(left.sum()), int(all_of.sum()), float((left / all_of.clip(lower=1)).max()) if left.any() else 0.0

    def _read(self, path: str) -> pd.DataFrame:
        if path not in self.cache:
            self.cache[path] = load_csv(Path(self.folder) / path)
        return self._ends(self.cache[path].copy())

    def _ends(self, table: pd.DataFrame) -> pd.DataFrame:
        return table.rename(columns={"low": "high", "high": "low"} if self.turned else {})


class NotDrawn(NoInstance):
    """A claim reads a table that its figure does not draw."""


@dataclass(frozen=True)
class Drawn(Tables):
    """The table of a figure that is drawn, also under other settings, and no other: those may be of another run.

    Attributes:
        table: of the figure.
        proofs: how many of its answers ended how, as `pipeline.answers.total` counts them.
    """

    table: pd.DataFrame = field(default_factory=pd.DataFrame)
    proofs: pd.DataFrame = field(default_factory=partial(pd.DataFrame, columns=list(STATUSES)))

    def certificates(self, experiment: str) -> pd.DataFrame:
        return self.proofs

    def _read(self, path: str) -> pd.DataFrame:
        if path != f"figures/{self.name}.csv":
            raise NotDrawn(f"table {path} under other settings")
        return self._ends(self.table)


@dataclass(frozen=True)
class Claim:
    """One row of the audit.

    Attributes:
        key: a short name, unique.
        group: a key of `GROUPS`.
        short: the claim in five words, for the overview.
        statement: the claim in our words.
        limit: what decides.
        check: how it is measured, over what, and what the interval is; "" where a declaration, or the docstring of a
            function, says it, see `wording.words`.
        also: further limits, of controls and other conditions, by their argument names in `read`.
        read: the reading, from the tables, `limit` and, by name, `also`; None if the claim cannot be tested.
        figure: the figure to look at; None: the figure of the experiment; "": no figure.
        measured: the words before the reading's value, with its unit: "largest excess of the rank over min(n, d)"; ""
            of a declaration that says it.
        printed: for a claim about print, the words for the published number, where they differ from `measured`.
        sharpens: the key of the claim that this claim sharpens; "" for a claim as first asked.
        seeds: for a claim that sharpens another, the first and the last seed on which it is judged: nobody looked at
            these seeds before the claim was written down.
        on: the unseen seeds of the experiment's card on which it is asked, whose first and last are `seeds` then; "":
            the experiment's own.
        unsharpened: for a claim as first asked, why no other row says what holds instead, in a sentence; the page
            prints it where the claim holds in part or fails.
        kind: one of `KINDS`; "": that of its group, see `BY_GROUP`, or "ours".
        source: of a theorem, where its words come from.
        tolerates: the largest share of a solve's answers that may be without proof: with more it is undecided. Say why
            these could not turn the verdict.
        range: of what the statement is said beyond the settings of its experiment: groups of variants, or variants
            (attnsvm.pipeline.elsewhere), "seeds", "shapes", "tokens", "schedule". Set it before they are run.
    """

    key: str
    group: str
    short: str
    statement: str
    limit: Limit
    check: str = ""
    also: dict[str, Limit] = field(default_factory=dict)
    read: Callable[..., Reading] | None = None
    figure: str | None = None
    measured: str = ""
    printed: str = ""
    sharpens: str = ""
    seeds: tuple[int, int] | None = None
    on: str = ""
    unsharpened: str = ""
    kind: str = ""
    source: str = ""
    tolerates: float = 0.0
    range: tuple[str, ...] = ("seeds",)

    def __post_init__(self):
        kind = self.kind or ("ours" if self.sharpens and self.group != "paper" else BY_GROUP.get(self.group, "ours"))
        object.__setattr__(self, "kind", kind)
        require(kind in KINDS, f"claim {self.key!r}: there is no kind {kind!r}: known are {', '.join(KINDS)}")
        sourced = f"claim {self.key!r}: a theorem, and nothing else, says in `source` where its words come from"
        require((kind == "theorem") == bool(self.source), sourced)
        known = ", ".join(map(repr, GROUPS))
        require(self.group in GROUPS, f"claim {self.key!r}: there is no group {self.group!r}: known are {known}")
        both = bool(self.sharpens) == (self.seeds is not None or bool(self.on))
        words = "`sharpens` and `seeds` go together: name the new seeds it is judged on, or by `on` those of the card"
        require(both, f"claim {self.key!r}: {words}")
        twice = f"claim {self.key!r}: it sharpens another: `unsharpened` is of a claim as first asked"
        require(not (self.sharpens and self.unsharpened), twice)

    @property
    def testable(self) -> bool:
        return self.read is not None

    def reading(self, tables: Tables) -> Reading:
        """What the tables say, given the limits.

        Raises:
            NoInstance: the run has nothing to check it on.
            UserError: a table is missing or damaged.
            TypeError: the claim cannot be tested.
            Misread: it asks the tables for something that they do not have.
        """
        if self.read is None:
            raise TypeError(f"claim {self.key!r} cannot be tested")
        found = self._read(tables)
        if not all(found.parts.values()):
            try:
                with turned_round():
                    found = found.judged(self._read(replace(tables, turned=True)))
            except (NoInstance, UserError, Misread):  # rows that are chosen by an interval may be none
                pass
        computed = not isinstance(self.read, Declared) and pd.isna(found.published)
        across = computed and found.low < self.limit.value < found.high
        found = replace(found, across=bool(across))
        unproved, _, share = tables.unproved()
        return found if share <= self.tolerates else found.without(unproved, share)

    def _read(self, tables: Tables) -> Reading:
        assert self.read is not None
        try:
            return self.read(tables, self.limit, **self.also)
        except (NoInstance, UserError):
            raise
        except Exception as error:
            what = f"{type(error).__name__}: {error}"
            if isinstance(error, KeyError) and isinstance(self.read, Declared):
                what += f" is no column of its table, which has {', '.join(map(str, tables.own()))}"
            where = f"the claims.py of {tables.name}"
            raise Misread(f"{where}: the claim {self.key!r} could not be read: {what}") from error


@dataclass(frozen=True)
class Declared:
    """The reading of a claim that is declared: its main conditions, and further ones.

    Attributes:
        main: of the numbers of the first, the one that is nearest to the limit, or farthest beyond it, is the claim's
            value.
        over: makes the claim's instances of those of all numbers of the first; None: those of the value.
    """

    main: tuple[Condition, ...]
    further: tuple[Condition, ...] = ()
    over: Callable[[list[float]], float] | None = None

    def __call__(self, tables: Tables, limit: Limit, **also: Limit) -> Reading:
        table, limits = tables.own(), {limit.wanted + limit.why: limit for limit in also.values()}
        first = self.main[0]
        numbers, main = first.parts(table, limit)
        further: dict[str, bool] = {}
        moving = {words for words in first.moving(table, limit) if not main[words]}
        for place, condition in enumerate((*self.main[1:], *self.further), 1):
            limit_here = condition.limit and limits.get(condition.limit.wanted + condition.limit.why, condition.limit)
            met_by_words = condition.parts(table, limit if condition.beyond else limit_here)[1]
            parts = main if place < len(self.main) or met_by_words.keys() & main.keys() else further
            parts |= {words: met and parts.get(words, True) for words, met in met_by_words.items()}
            if parts is main:
                moving |= condition.moving(table, limit if condition.beyond else limit_here)
        nearest = first.worst(numbers, limit)
        if first.number.alone:
            nearest = exact(nearest.value, nearest.instances)
        if self.over:
            nearest = nearest._replace(instances=self.over([one.instances for one in numbers]))
        every = first.number.alone and getattr(first.number, "column", "") == "largest"
        return Reading(*nearest, main, further, every=every, moving=frozenset(moving))


FIELDS = Claim.__dataclass_fields__.keys() - {"read", "also"}  # those that stand above a reading


class Claims(list[Claim]):
    """The claims of an experiment, in their order.

    A claim that computes is its reading, a function, with its words and limits above it:

        CLAIMS = Claims(group="paper")

        @CLAIMS.add(short=..., statement=..., measured=..., limit=Limit(...), control=Limit(...))
        def rank_bound(tables, limit, control): ...

    Args:
        shared: fields that the claims have in common; a claim may have another value.
    """

    def __init__(self, **shared):
        super().__init__()
        self.shared = shared

    def add(self, read: Callable[..., Reading] | None = None, **words):
        """Add a claim and return its reading; without `read`, what does so with the function below.

        Args:
            words: fields of the `Claim`, `key` being the name of the function if it is not given; and further limits
                by their names, which `also` holds.

        Raises:
            TypeError: a word is neither a field nor a limit, or there is no key.
        """
        if read is None:
            return partial(self.add, **words)
        key = words.pop("key", None) or getattr(read, "__name__", None)
        if key is None:
            raise TypeError("a claim whose reading has no name needs a key")
        also = {name: words.pop(name) for name in list(words) if name not in FIELDS}
        if wrong := [name for name, limit in also.items() if not isinstance(limit, Limit)]:
            raise TypeError(f"the claim {key!r} has no field {wrong[0]!r}, and its value is not a Limit")
        self.append(Claim(key=key, read=read, also=also, **self.shared | words))
        return read

    def declare(
        self,
        key: str,
        main: Condition | tuple[Condition, ...],
        *further: Condition,
        over: Callable[[list[float]], float] | None = None,
        **words,
    ) -> None:
        """Add a claim that compares numbers of the experiment's table with limits, see `attnsvm.audit.conditions`.

        Args:
            main: what the statement says: the claim fails without it. Of a statement that says several things,
                several conditions; the first has the limit of the claim.
            further: what else must be so: controls, and that the other numbers are what they are taken for.
            over: see `Declared`: `sum`, where the first main numbers are of different instances.
            words: fields of the `Claim`.

        Raises:
            TypeError: one of them is no condition, or the first main one has no limit.
        """
        first, *others = main if isinstance(main, tuple) else (main,)
        if not all(isinstance(one, Condition) for one in (first, *others, *further)):
            raise TypeError(f"the claim {key!r} asks nothing of a number: write number(...).must(limit, why, words)")
        if first.limit is None:
            raise TypeError(f"the main condition of the claim {key!r} has no limit")
        limits = [one.limit for one in (*others, *further) if one.limit and one.limit != first.limit]
        also = {f"limit_{place}": limit for place, limit in enumerate(dict.fromkeys(limits), 1)}
        self.add(Declared((first, *others), further, over), key=key, limit=first.limit, **also, **words)
