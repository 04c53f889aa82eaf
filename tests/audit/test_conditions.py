"""A claim as a declaration: which rows it reads, which words it makes, and what it says where rows are lost."""

import math

import pandas as pd
import pytest

from attnsvm.audit import Claims, NoInstance, Tables, number
from attnsvm.audit.conditions import EACH, FIRST, LAST
from attnsvm.audit.evaluation import FAILS, HOLDS, IN_PART, UNDECIDED, Misread

ROWS = pd.DataFrame(
    [
        {"run": run, "step": step, "value": value, "low": value - 0.1, "high": value + 0.1, "largest": 2 * value}
        for run, values in {"flow": (0.9, 0.4), "joint": (0.8, 0.7)}.items()
        for step, value in zip((1, 10), values, strict=True)
    ]
).assign(instances=5)
END = number(step=LAST, missing="run of {run}")
WORDS = {"short": "", "statement": "", "check": "", "measured": ""}


def values(number, rows=ROWS):
    return [found.number.value for found in number.read(rows)]


def test_a_query_names_one_value_several_each_the_first_or_the_last():
    assert values(END(run="flow")) == [0.4]
    assert values(END(run=("joint", "flow"))) == [0.7, 0.4]
    assert values(END(run=EACH)) == [0.4, 0.7]
    assert values(number(run=EACH, step=FIRST)) == [0.9, 0.8]
    assert values(END(run="flow").of("largest")) == [0.8]
    assert [found.row["step"] for found in END(run=EACH).read(ROWS)] == [10, 10]


def test_the_last_step_is_that_of_the_rows_that_are_left():
    rows = ROWS[(ROWS.run == "flow") | (ROWS.step == 1)]
    assert values(END(run=EACH), rows) == [0.4, 0.8]


def test_what_a_run_has_not_is_said():
    with pytest.raises(NoInstance, match="this run has no run of cone: nothing could be checked"):
        END(run="cone").read(ROWS)
    with pytest.raises(NoInstance, match="no row with run = cone"):
        number(run="cone").read(ROWS)
    with pytest.raises(NoInstance, match="no run of cone"):
        END(run=("flow", "cone")).read(ROWS)
    with pytest.raises(NoInstance):
        END(run=EACH).read(ROWS.iloc[:0])


def test_several_rows_of_one_name_and_a_column_that_is_not_there_are_errors():
    with pytest.raises(ValueError, match="2 rows where one is read"):
        number(run="flow").read(ROWS)
    with pytest.raises(KeyError, match="runs"):
        END(runs="flow").read(ROWS)


def test_an_estimate_meets_a_limit_with_the_whole_of_its_interval():
    below = END(run=EACH).must("each ≤ 0.6", "so", "{run}: {value:.1f} [{low:.1f}, {high:.1f}]")
    assert below.parts(ROWS)[1] == {"flow: 0.4 [0.3, 0.5]": True, "joint: 0.7 [0.6, 0.8]": False}
    assert END(run="flow").must("≤ 0.49", "", "a").parts(ROWS)[1] == {"a": False}
    assert END(run="flow").without_interval().must("≤ 0.49", "", "a").parts(ROWS)[1] == {"a": True}
    missing = ROWS.assign(high=math.nan)
    assert END(run="flow").must("≤ 0.6", "", "a").parts(missing)[1] == {"a": False}


def test_words_may_name_the_limit():
    below = END(run="flow").must("≤ 0.60", "so", "{run}: {value:.1f}, at most {limit:g}")
    assert below.parts(ROWS)[1] == {"flow: 0.4, at most 0.6": True}


def test_numbers_with_the_same_words_are_one_part():
    assert END(run=EACH).must("≤ 0.6", "", "all of them").parts(ROWS)[1] == {"all of them": False}


def test_two_numbers_are_apart_where_their_intervals_are():
    flow, joint = END(run="flow"), END(run="joint")
    assert flow.below(joint, "{run} below {other.value:.1f}", other=joint).parts(ROWS)[1] == {"flow below 0.7": True}
    assert joint.above(flow, "above").parts(ROWS)[1] == {"above": True}
    near = ROWS.assign(high=ROWS.value + 0.25)
    assert flow.below(joint, "below").parts(near)[1] == {"below": False}


def test_each_is_compared_with_its_like_or_with_the_one_that_there_is():
    first, last = number(run=EACH, step=FIRST), END(run=EACH)
    assert last.below(first, "{run}").parts(ROWS)[1] == {"flow": True, "joint": False}
    assert last.below(first(run="joint"), "{run}").parts(ROWS)[1] == {"flow": True, "joint": False}
    with pytest.raises(ValueError, match="1 numbers beside 2"):
        last(run="flow").below(first, "").parts(ROWS)


def test_ratios_and_differences_have_the_ends_that_both_intervals_allow():
    ratio = (END(run="flow") / END(run="joint")).read(ROWS)[0].number
    assert (ratio.value, ratio.low, ratio.high) == pytest.approx((0.4 / 0.7, 0.3 / 0.8, 0.5 / 0.6))
    lead = (END(run="joint") - END(run="flow")).read(ROWS)[0].number
    assert (lead.value, lead.low, lead.high) == pytest.approx((0.3, 0.1, 0.5))


def claims(main, *further):
    found = Claims(group="ours")
    found.declare("mine", main, *further, **WORDS)
    return found


def read(claim, rows=ROWS):
    return claim.reading(Tables(None, "mine", {"figures/mine.csv": rows}))


def test_a_declared_claim_shows_the_number_that_is_nearest_to_its_limit():
    main = END(run=EACH).must("each ≤ 0.9", "so", "{run}")
    control = number(run="flow", step=FIRST).must("at first ≥ 0.5", "a fall", "first")
    (claim,) = claims(main, control, END(run="joint").must("at first ≥ 0.5", "a fall", "joint"))
    assert (claim.limit.value, claim.limit.wanted, claim.limit.why) == (0.9, "each ≤ {}", "so")
    assert [limit.text for limit in claim.also.values()] == ["at first ≥ 0.5"]
    reading = read(claim)
    assert (reading.value, reading.low, reading.high, reading.instances) == (0.7, 0.6, pytest.approx(0.8), 5)
    assert reading.main == {"flow": True, "joint": True}
    assert reading.further == {"first": True}
    assert reading.verdict == HOLDS
    wide, less = ({end: ROWS[end].where(ROWS.step > 1, 0.0) for end in ends} for ends in (("low",), ("low", "high")))
    assert [read(claim, ROWS.assign(**ends)).verdict for ends in (wide, less)] == [UNDECIDED, IN_PART]
    far = ({"high": 1.0}, {"low": 0.95, "high": 1.0})
    assert [read(claim, ROWS.assign(**ends)).verdict for ends in far] == [UNDECIDED, FAILS]


def test_a_statement_of_several_things_has_several_main_conditions():
    """A further condition with the words of a main one is a part of it; limits of all but the first are said."""
    first, late = END(run="flow").must("≤ 0.9", "so", "flow"), END(run="joint").must("late ≤ 0.9", "so", "joint")
    again = number(run="joint", step=FIRST).must("at first ≥ 0.5", "a fall", "joint")
    (claim,) = claims((first, late), again)
    assert [limit.text for limit in claim.also.values()] == ["late ≤ 0.9", "at first ≥ 0.5"]
    reading = read(claim)
    assert (reading.value, reading.main, reading.further) == (0.4, {"flow": True, "joint": True}, {})
    assert read(claim, ROWS.assign(low=0.0)).main == {"flow": True, "joint": False}


def test_a_number_without_an_interval_is_shown_without_one():
    (claim,) = claims(END(run="flow").of("largest").must("≤ 1", "so", "largest"))
    reading = read(claim)
    assert reading.value == 0.8
    assert math.isnan(reading.low)
    assert math.isnan(reading.high)


def test_a_claim_whose_main_condition_has_no_limit_is_an_error():
    with pytest.raises(TypeError, match="the main condition of the claim 'mine' has no limit"):
        claims(END(run="flow").below(END(run="joint"), ""))


def test_a_claim_that_asks_nothing_is_an_error():
    with pytest.raises(TypeError, match="the claim 'mine' asks nothing of a number"):
        claims(END(run="flow") / END(run="joint"))


def test_a_column_that_is_not_there_is_named_beside_those_that_are():
    (claim,) = claims(END(runs="flow").must("≤ 0.9", "so", "flow"))
    with pytest.raises(Misread, match="'runs' is no column of its table, which has run, step, value"):
        read(claim)


@pytest.mark.parametrize("wanted", ["", "0.5", "each about 0.5", "≤ 0.5 {}"])
def test_a_limit_without_a_sign_ends_with_a_sentence(wanted):
    with pytest.raises(ValueError, match="is no limit: write words, a sign and a number"):
        END(run="flow").must(wanted, "", "")
