"""How a claim is measured, in words that follow from its declaration."""

from pathlib import Path

import pandas as pd
import pytest

from attnsvm.analysis.statistics import MEDIAN, SHARE
from attnsvm.audit import Claims, Tables, number
from attnsvm.audit.conditions import EACH, LAST, LEAST, MOST, TENTH, Those
from attnsvm.audit.evaluation import Claim
from attnsvm.audit.numbers import Limit
from attnsvm.audit.wording import words

ROWS = pd.DataFrame(
    [
        {"quantity": "distance", "run": run, "d": d, "step": step, "value": d / 10, "low": 0.1, "high": 1.0}
        for run in ("W", "KQ")
        for d in (2, 4)
        for step in (1, 10)
    ]
).assign(instances=5, interval=MEDIAN)
END = number(quantity="distance", step=LAST)
FAR = END(text="distance from the SVM")


def test_a_reading_that_says_no_more_is_checked_by_what_is_measured():
    def counted():
        """The runs that stay."""

    for own, read, check in (("", print, "share of runs"), ("", counted, "The runs that stay"), ("by eye",) * 3):
        claim = Claim("mine", "ours", "", "", Limit(0.0, "> {}", ""), check=own, measured="share of runs", read=read)
        assert words(claim, Tables(Path())) == {"check": check, "measured": "share of runs"}


def said(main, rows=ROWS, **own):
    claims = Claims(group="ours", short="", statement="")
    claims.declare("mine", main, **own)
    return tuple(words(claims[0], Tables(Path(), "mine", {"figures/mine.csv": rows})).values())


@pytest.mark.parametrize(
    ("main", "check", "measured"),
    [
        (
            END(run="W", d=2).must("≤ 1", "", ""),
            "distance, after the last step, run W, d = 2: median with its 95 % interval",
            "median distance",
        ),
        (
            END(run="W", d=2)(step=10).must("≤ 1", "", ""),
            "distance, after 10 steps, run W, d = 2: median with its 95 % interval",
            "median distance",
        ),
        (
            FAR(run=("W", "KQ"), d=MOST).must("≤ 1", "", ""),
            "distance from the SVM, after the last step, run W and (K, Q), largest d: median with its 95 % interval",
            "median distance from the SVM, the largest",
        ),
        (
            FAR(run="W", d=4, step=EACH).must("≥ 1", "", "", names={"W": "one matrix"}),
            "distance from the SVM, each step, run one matrix, d = 4: median with its 95 % interval",
            "median distance from the SVM, the smallest",
        ),
        (
            FAR(run=Those("trained whole", lambda run: run == "W"), d=4, step=TENTH).must("≤ 1", "", ""),
            "distance from the SVM, after a tenth of the steps, each run trained whole, d = 4: "
            "median with its 95 % interval",
            "median distance from the SVM, the largest",
        ),
        (
            END(run=EACH, d=2).must("off ≤ 1", "", "", around=1),
            "distance, after the last step, each run, d = 2: median with its 95 % interval",
            "median distance, the farthest from 1",
        ),
        (
            END(run="W", d=2).of("low", "lower end").must("≤ 1", "", ""),
            "lower end, after the last step, run W, d = 2",
            "lower end",
        ),
        (
            (END(run="W", d=2).must("≤ 1", "", ""), END(run="W", d=2).below(END(run="KQ", d=2), "")),
            "distance, after the last step, run W, d = 2; distance, after the last step, run W, d = 2, "
            "against distance, after the last step, run (K, Q), d = 2: median with its 95 % interval",
            "median distance",
        ),
    ],
)
def test_a_number_is_said_with_its_rows_and_its_interval(main, check, measured):
    assert said(main) == (check, measured)


def test_two_numbers_of_one_name_are_told_apart_by_what_differs():
    check, measured = said((FAR(run="W", d=LEAST) / FAR(run="W", d=MOST)).must("≥ 1", "", ""))
    both = "distance from the SVM, after the last step, run W, smallest d, over the same, largest d"
    assert (check, measured) == (f"{both}: ends as far apart as both intervals allow ({MEDIAN})", both)
    check, _ = said((FAR(run="W", d=2) - END(run="W", d=4)).must("≥ 1", "", ""))
    assert ", minus distance, after the last step, run W, d = 4" in check


def test_the_instances_may_be_those_of_all_numbers():
    for over, instances in ((None, 5), (sum, 20)):
        claims = Claims(group="ours", short="", statement="")
        claims.declare("mine", END(run=EACH, d=EACH).must("≤ 1", "", ""), over=over)
        assert claims[0].reading(Tables(Path(), "mine", {"figures/mine.csv": ROWS})).instances == instances


def test_a_claim_may_say_either_itself():
    main = END(run="W", d=2).must("≤ 1", "", "")
    assert said(main, check="by eye", measured="how far") == ("by eye", "how far")
    assert said(main, check="by eye") == ("by eye", "median distance")
    assert said(main, measured="how far")[0].startswith("distance, after the last step")


def test_the_kind_of_interval_is_that_of_the_table_and_none_where_nothing_could_be_checked():
    main = END(run="W", d=2).must("≤ 1", "", "")
    assert said(main, ROWS.assign(interval=SHARE))[0].endswith(": share with its 95 % Wilson interval")
    assert said(main, ROWS.iloc[:0])[0] == "distance, after the last step, run W, d = 2"
