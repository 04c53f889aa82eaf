"""The mutation test of a claim: what it must see, on claims that have the fault."""

import mutation
import pandas as pd
import pytest

from attnsvm.audit import Claim, Claims, NoInstance, Reading, number
from attnsvm.audit.conditions import LAST
from attnsvm.audit.numbers import Limit

ROWS = pd.DataFrame(
    [
        {"run": run, "step": step, "seed": seed, "value": step / 10 + seed / 100, "reached": seed % 2 == 0}
        for run in ("flow", "joint")
        for step in (1, 10)
        for seed in range(4)
    ]
)
ONE = ROWS[ROWS.seed == 0].assign(low=lambda t: t.value - 0.1, high=lambda t: t.value + 0.1, instances=4)
WORDS = {"short": "", "statement": "", "check": "", "group": "ours", "key": "mine"}


def made(read, limit="≤ {}", value=2.0, **also):
    return Claim(limit=Limit(value, limit, ""), read=read, also=also, **WORDS)


def reading(parts, value=1.0):
    return Reading(value, value, value, 1, parts)


def declared(*conditions):
    claims = Claims(group="ours")
    claims.declare("mine", *conditions, short="", statement="", check="")
    return claims[0]


END = number(step=LAST)


def test_a_claim_that_can_fail_in_every_part_passes():
    claim = declared(
        END(run="flow").must("≤ 2", "", "near"),
        END(run="joint").must("of joint ≥ 0.2", "", "far"),
        END(run="flow").below(END(run="joint"), "nearer"),
    )
    assert mutation.unflipped(claim, "mine", ONE) == []
    assert mutation.idle(claim, "mine", ONE) == []
    assert mutation.broken(claim, "mine", ONE) == {}


def test_a_condition_that_cannot_fail_is_named():
    claim = made(lambda tables, limit: reading({"near": limit(tables.own()["value"].max()), "always": True}))
    assert mutation.unflipped(claim, "mine", ROWS) == ["always"]


def test_a_limit_that_decides_nothing_is_named():
    limit = Limit(0.1, "of the control ≥ {}", "")
    claim = made(lambda tables, limit, control: reading({"near": limit(tables.own()["value"].max())}), control=limit)
    assert mutation.idle(claim, "mine", ROWS) == ["control"]


def test_a_table_that_lost_rows_and_ends_with_an_error_is_named():
    claim = made(lambda tables, limit: reading({"near": limit(tables.own().query("run == 'flow'").iloc[0]["value"])}))
    assert set(mutation.broken(claim, "mine", ROWS)) == {"every row", "run = flow"}


@pytest.mark.parametrize(
    "read",
    [
        lambda rows: (rows.groupby("seed")["value"].max() < 1.5).all(),  # one instance decides
        lambda rows: rows[rows.reached]["seed"].nunique() > 1,  # a column of yes and no
        lambda rows: rows.query("run == 'flow' and step == 10")["value"].mean() < 1.2,  # rows of two values
        lambda rows: rows.pivot_table(index="seed", columns="step", values="value").diff(axis=1)[10].gt(0).mean() > 0.5,
    ],
)
def test_what_only_few_rows_or_their_order_decide_is_seen(read):
    claim = made(
        lambda tables, limit: reading({"so": bool(read(tables.own())), "near": limit(tables.own().value.max())})
    )
    assert mutation.unflipped(claim, "mine", ROWS) == []


def test_a_slim_table_says_the_same():
    claim = declared(END(run="flow").must("≤ 2", "", "near {value}"))
    small = mutation.slim(claim, "mine", ONE)
    assert len(small) == 1
    assert str(mutation.attempt(claim, "mine", small)) == str(mutation.attempt(claim, "mine", ONE))


def test_a_claim_without_an_instance_cannot_be_tried():
    with pytest.raises(NoInstance):
        mutation.unflipped(declared(END(run="cone").must("≤ 2", "", "near")), "mine", ONE)
