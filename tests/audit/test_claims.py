"""The claims of every experiment, whatever experiments there are: what flips.py says of them is so.

Verdicts follow the tables, one changed number flips its verdict, every limit decides, and a typo is loud.
"""

import ast
import inspect
import re
from collections import defaultdict
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
from pandas.api.types import is_numeric_dtype
from tried import BY_KEY, CARDS, CLAIMS, EMPTY, FLIPS, HOME, TRIED, path, table

from attnsvm.audit import Tables
from attnsvm.audit.flips import Empty
from attnsvm.audit.numbers import Limit
from attnsvm.audit.reading import DIFFERS, FAILS, GROUPS, HOLDS, IN_PART, UNTESTABLE
from attnsvm.audit.table import _row

TESTABLE = [key for key, claim in BY_KEY.items() if claim.testable]
CASES = [(key, case) for key, cases in EMPTY.items() for case in cases if isinstance(case, Empty)]
INFINITY = float("inf")
LIMITS = [(key, name) for key in TESTABLE for name in ("asked", *BY_KEY[key].also)]


@cache
def plain(name):
    """The made-up table of an experiment, its words as Python has them: read in half the time of those of a file."""
    rows = table(name)
    return rows.astype({column: object for column in rows if not is_numeric_dtype(rows[column])})


def row_of(key, rows=None, claim=None):
    """The row of one claim over a table, the made-up one if none is given."""
    name = HOME[key]
    own = Tables(Path("nowhere"), name, {path(name): plain(name) if rows is None else rows})
    return SimpleNamespace(**_row(claim or BY_KEY[key], own))


@cache
def as_it_is(key):
    """The row of a claim over its made-up table, as it is read from a file."""
    return row_of(key, table(HOME[key]))


def attempt(key, rows):
    """The row of one claim and None, or None and the error that it ended with."""
    try:
        return row_of(key, rows), None
    except RuntimeError as error:
        return None, error


def named(key):
    """The text of the reading of a claim and of the functions that it calls: most of what it reads is named there."""
    read = BY_KEY[key].read
    function = getattr(read, "func", read)  # of a partial one
    called = (function.__globals__.get(name) for name in function.__code__.co_names)
    return repr(read) + "".join(map(inspect.getsource, filter(inspect.isfunction, (function, *called))))


def alike(one, other):
    """Whether two rows are the same to the last digit."""
    return str(vars(one)) == str(vars(other))


def usual(key):
    """The verdict on the made-up table."""
    return FLIPS[key].before or (DIFFERS if BY_KEY[key].group == "print" else HOLDS)


def limited(key, name, value):
    """The claim with another limit of that name."""
    claim = BY_KEY[key]
    if name == "asked":
        return replace(claim, asked=replace(claim.asked, value=value))
    return replace(claim, also=claim.also | {name: replace(claim.also[name], value=value)})


@pytest.mark.parametrize("name", CARDS)
def test_every_testable_claim_has_a_flip_and_what_leaves_it_without_an_instance(name):
    """Of a claim that every run has an instance for, EMPTY says in words why."""
    where = f"attnsvm/experiments/{name}/flips.py"
    assert name in TRIED, f"{where} is missing: a table on which the claims hold, and the change that flips each"
    keys = {claim.key for claim in CLAIMS[name] if claim.testable}
    assert set(TRIED[name].FLIPS) == keys, f"{where}: FLIPS"
    assert set(TRIED[name].EMPTY) == keys, f"{where}: EMPTY"
    assert all(TRIED[name].EMPTY.values()), f"{where}: EMPTY"


def test_the_rows_stand_by_group(audited):
    """What sharpens a claim stands behind it, whatever experiment it is of."""
    asked = [key for group in GROUPS for key, claim in BY_KEY.items() if claim.group == group and not claim.sharpens]
    behind = {key: [other for other, claim in BY_KEY.items() if claim.sharpens == key] for key in asked}
    assert list(audited.key) == [one for key in asked for one in (key, *behind[key])]


@pytest.mark.parametrize("key", FLIPS)
def test_a_changed_number_flips_the_verdict(key):
    flip = FLIPS[key]
    assert as_it_is(key).verdict == usual(key)
    assert row_of(key, flip.of(plain(HOME[key]))).verdict == flip.verdict != usual(key)


# What a flip of one number leaves unseen: a part that the number does not decide alone, a column mistaken for another.
NUMBERS = [
    ("adam_sign", {"ratio": 0.9}, FAILS),
    ("KQ_joint", {"joint": (1e-2, 2e-2), "grown": (0.9, 1.0)}, FAILS),
    ("KQ_published_leaves", {"grown": (0.9, 0.9)}, IN_PART),
    ("KQ_published_cause", {"shrinking": (1e-2, 1e-2)}, IN_PART),
    ("router_law", {"control": 0.03}, IN_PART),
    ("router_sooner", {"ratio": 1.5}, FAILS),
    ("nuclear_generalises", {"lead": 0.01}, FAILS),
    ("rate_attention", {"change": -0.05}, IN_PART),
]


@pytest.mark.parametrize(("key", "numbers", "verdict"), NUMBERS)
def test_a_table_of_other_numbers_has_another_verdict(key, numbers, verdict):
    assert row_of(key, pd.DataFrame(TRIED[HOME[key]].table(**numbers))).verdict == verdict


def marks(row):
    """Which parts of a claim are met."""
    return [part.partition(":")[0] for part in row.parts.split("; ")]


@pytest.mark.parametrize(("key", "name"), LIMITS)
def test_every_limit_decides(key, name):
    """With a limit that every number meets, or none, other parts of the claim are met."""
    before, claim = marks(as_it_is(key)), BY_KEY[key]
    limit = claim.asked if name == "asked" else claim.also[name]
    none, all_ = (-INFINITY, INFINITY) if set("≤<") & set(limit.wanted) else (INFINITY, -INFINITY)
    assert any(marks(row_of(key, claim=limited(key, name, value))) != before for value in (none, all_))


@pytest.mark.parametrize("key", TESTABLE)
def test_every_limit_is_said_with_its_reason(key):
    claim = BY_KEY[key]
    assert len(claim.measured.split()) >= 3, "what the number is: measured=..."
    row = as_it_is(key)
    for limit in claim.also.values():
        assert isinstance(limit, Limit)
        assert len(limit.wanted.split()) >= 4, "what is asked of which number"
        assert f"{limit.said}: {limit.why}" in row.also
    assert all(limit.why for limit in (claim.asked, *claim.also.values()))


@pytest.mark.parametrize("name", CARDS)
def test_no_limit_stands_in_a_reading(name):
    """A number with a point that something is compared with is a limit: a field of the claim, with its reason."""
    tree = ast.parse(inspect.getsource(CARDS[name].module("claims")))
    for function in (node for node in tree.body if isinstance(node, ast.FunctionDef)):
        compared = [inside for node in ast.walk(function) if isinstance(node, ast.Compare) for inside in ast.walk(node)]
        bare = [node for node in compared if isinstance(node, ast.Constant) and isinstance(node.value, float)]
        assert not bare, f"{name}/claims.py, line {bare[0].lineno}: {bare[0].value} belongs into `also` of its claim"


@pytest.mark.parametrize("key", TESTABLE)
def test_a_renamed_column_is_an_error_or_is_not_read(key):
    """All are renamed, then all but the one that was missed first, until none is missed."""
    rows = plain(HOME[key])
    renamed = {column: f"{column}_renamed" for column in rows}
    while (tried := attempt(key, rows.rename(columns=renamed)))[1]:
        before, _, missed = str(tried[1]).partition(f"the claim {key!r} could not be read: KeyError: ")
        assert before == f"attnsvm/experiments/{HOME[key]}/claims.py: "
        del renamed[next(column for column in renamed if re.search(rf"\b{column}\b", missed))]
    assert alike(tried[0], as_it_is(key))
    assert len(renamed) < len(rows.columns)


@pytest.mark.parametrize("key", TESTABLE)
def test_a_renamed_value_changes_no_verdict_unseen(key):
    """Most are not read: those that the reading does not name are renamed together, and halves of them if it shows."""
    rows, before, text = plain(HOME[key]), as_it_is(key), named(key)
    words = [(column, word) for column in rows if rows[column].dtype == object for word in rows[column].unique()]
    known = [thing for thing in words if re.search(rf"\b{re.escape(str(thing[1]))}\b", text)]
    left = [[thing] for thing in known] + [[thing for thing in words if thing not in known]]
    while left:
        if not (some := left.pop()):
            continue
        new = defaultdict(dict)
        for column, word in some:
            new[column][word] = f"{word}_renamed"
        after, error = attempt(key, rows.replace(dict(new)))
        if error is None and alike(after, before):
            continue
        if len(some) > 1:
            left += [some[: len(some) // 2], some[len(some) // 2 :]]
        elif error is None:
            unread = after.verdict == before.verdict and after.value == before.value
            assert unread or after.why.startswith("this run has no "), some


@pytest.mark.parametrize(("key", "case"), CASES)
def test_a_claim_without_an_instance_is_untestable_and_says_what_is_missing(key, case):
    row = row_of(key, case.of(plain(HOME[key])))
    assert row.verdict == UNTESTABLE
    assert row.why == f"this run has no {case.missing}: nothing could be checked"
