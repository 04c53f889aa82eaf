"""How a claim is measured, in words: composed from its declaration and its table, where the claim does not say it."""

from collections.abc import Container, Mapping
from inspect import isfunction

from attnsvm.analysis.statistics import MEAN, MEDIAN, MIDDLE, QUARTILES, RATIO, SHARE
from attnsvm.audit.conditions import STEP, Condition, Derived, Number
from attnsvm.audit.evaluation import Claim, Declared, Tables
from attnsvm.audit.rows import EACH, FIRST, LAST, LEAST, MOST, TENTH, NoInstance, Those

# By the name of an interval: what the value is, and what stands beside it.
KINDS = {
    SHARE: ("", "share with its 95 % Wilson interval"),
    MEAN: ("mean ", "mean with its 95 % interval"),
    MEDIAN: ("median ", "median with its 95 % interval"),
    RATIO: ("", "ratio of means with its 95 % interval"),
    QUARTILES: ("median ", "median with its quartiles"),
    MIDDLE: ("mean ", "mean with the middle 68 % of the instances"),
}
ENDS = {LAST: "largest", MOST: "largest", FIRST: "smallest", LEAST: "smallest"}
OF_STEPS = {LAST: "last", MOST: "last", FIRST: "first", LEAST: "first"}
NAMES = {"KQ": "(K, Q)", "fro": "Frobenius", "nuc": "nuclear", "linf": "max", "l1": "ℓ1"}  # of what stands in tables


def words(claim: Claim, tables: Tables) -> dict[str, str]:
    """`check` and `measured` of a claim: what it says itself, or else what its main conditions say.

    A reading that is a function says it in its docstring; without one, what is measured says it.
    """
    own = {"check": claim.check, "measured": claim.measured}
    if not isinstance(claim.read, Declared):
        said = claim.read.__doc__ if isfunction(claim.read) else None
        return own | {"check": claim.check or (said or claim.measured).partition("\n")[0].removesuffix(".")}
    if all(own.values()):
        return own
    first = claim.read.main[0]
    interval = _interval(first, tables)
    value, beside = KINDS.get(interval, ("", ""))
    if isinstance(first.number, Derived):  # the ratio of two medians is no median
        value, beside = "", f"ends as far apart as both intervals allow ({interval})" if interval else ""
    asked = "; ".join(dict.fromkeys(map(_asked, claim.read.main)))
    composed = {
        "check": f"{asked}: {beside}" if beside else asked,
        "measured": value
        + (phrase(first.number) if isinstance(first.number, Derived) else first.number.noun)
        + _worst(first),
    }
    return {name: own[name] or composed[name] for name in own}


def phrase(number: Number | Derived, names: Mapping = NAMES) -> str:
    """A number and the rows that it is of: "distance, run flow, after the last step"."""
    if isinstance(number, Derived):
        first, second = number.first, number.second
        if isinstance(first, Number) and isinstance(second, Number) and first.noun == second.noun:
            same = {name for name, value in first.where.items() if second.where.get(name) == value}
            return f"{phrase(first, names)}, {number.sign} the same, {', '.join(_rows(second, names, same))}"
        return f"{phrase(first, names)}, {number.sign} {phrase(second, names)}"
    return ", ".join((number.noun, *_rows(number, names)))


def _asked(condition: Condition) -> str:
    names = NAMES | dict(condition.names)
    other = f", against {phrase(condition.other, names)}" if condition.other else ""
    return phrase(condition.number, names) + other


def _interval(first: Condition, tables: Tables) -> str:
    """The name of the interval of a claim's number; "" where it has none, or nothing could be checked."""
    try:
        return "" if first.number.alone else str(first.number.read(tables.own())[0].row.get("interval", ""))
    except NoInstance:
        return ""


def _worst(first: Condition) -> str:
    """Which of several numbers is the claim's."""
    each = first.number
    while isinstance(each, Derived):
        each = each.first
    if not any(value is EACH or isinstance(value, tuple | Those) for value in each.where.values()):
        return ""
    assert first.limit is not None
    far = "largest" if first.limit.falls else "smallest"
    return f", the {far}" if first.around is None else f", the farthest from {first.around:g}"


def _rows(number: Number, names: Mapping, leave: Container[str] = ()) -> list[str]:
    """The values of the columns that the noun does not say."""
    said = {name: value for name, value in number.where.items() if name not in leave and value is not None}
    return [_row(name, value, names) for name, value in said.items() if name not in ("quantity", "interval")]


def _row(name: str, value, names: Mapping) -> str:
    if isinstance(value, Those):
        return f"each {name} {value.words}"
    if name == STEP and value is not EACH:
        when = "a tenth of the" if value is TENTH else value
        return f"after the {OF_STEPS[value]} step" if value in OF_STEPS else f"after {when} steps"
    if value is EACH or value in ENDS:
        return f"{ENDS.get(value, 'each')} {name}"
    *others, last = (str(names.get(one, one)) for one in (value if isinstance(value, tuple) else (value,)))
    numeric = not isinstance(value, str | tuple)
    return f"{name} {'= ' if numeric else ''}{', '.join(others) + ' and ' if others else ''}{last}"
