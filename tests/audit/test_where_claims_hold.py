"""Where claims hold: cells, sentences, ranges, and the matrix of the release."""

import re

import numpy as np
import pandas as pd
import pytest
from tried import BY_KEY, HOME, RELEASE

from attnsvm.audit import elsewhere
from attnsvm.audit.conditions import LAST, number
from attnsvm.audit.evaluation import FAILS, HOLDS, IN_PART, MOVING, UNDECIDED, UNTESTABLE, VERDICTS, Claims, Reading
from attnsvm.audit.numbers import Limit, share_of
from attnsvm.pipeline import elsewhere as variants
from attnsvm.pipeline import targets

RELEASED = elsewhere.released()
CLAIMS = Claims(group="ours")
CLAIMS.declare(
    "near",
    number(quantity="distance", step=LAST).must("≤ 0.1", "near", "distance {value:.2g}"),
    number(quantity="control").must("control ≥ 1", "far", "control {value:.2g}"),
    short="near",
    statement="It is near.",
    check="distance",
)


@CLAIMS.add(short="often", statement="It is often.", check="share", limit=Limit(0.9, "share ≥ {}", ""))
def often(tables, limit):
    """Its interval is its own, and not one of the table."""
    found = share_of(tables.own(quantity="distance")["value"] <= 0.4)
    return Reading(*found, {"share": limit(found)})


STEPS = np.array([10.0, 20.0, 50.0, 100.0])


def table(distances, control=2.0, width=0.0):
    """A run of four steps over a decade, and a control."""
    rows = pd.DataFrame({"quantity": "distance", "step": STEPS, "value": distances})
    rows = pd.concat([rows, pd.DataFrame({"quantity": ["control"], "step": [0.0], "value": [control]})])
    return rows.assign(low=rows.value - width, high=rows.value + width, instances=8).reset_index(drop=True)


UNPROVED = "3 are not, up to 30.0% of a solve"
PROOFS = pd.DataFrame({"solved": [7, 10], "infeasible": 0, "remote": 0, "uncertified": [3, 0]})
CASES = {
    "near": (table([0.4, 0.2, 0.1, 0.05]), HOLDS, ""),
    "wide": (table([0.4, 0.2, 0.1, 0.05], width=0.06), UNDECIDED, "distance 0.05"),
    "far": (table([0.5, 0.5, 0.5, 0.5]), FAILS, "distance 0.5"),
    "slow": (table(4.0 / STEPS**0.5), MOVING, "distance 0.4"),
    "control": (table([0.4, 0.2, 0.1, 0.05], control=0.5), IN_PART, "control 0.5"),
    "unproved": (table([0.4, 0.2, 0.1, 0.05]), UNDECIDED, f"enough answers are proved: {UNPROVED}"),
    "none": (table([0.4, 0.2, 0.1, 0.05]).query("quantity == 'control'"), UNTESTABLE, None),
    "empty": (pd.DataFrame(), UNTESTABLE, "no instance could be measured"),
}


@pytest.fixture(scope="module")
def rows():
    named = {name: ("shapes", f"{name} tokens") for name in CASES}
    proofs = {name: PROOFS if name == "unproved" else PROOFS.query("uncertified == 0") for name in CASES}
    return elsewhere.matrix("own", CLAIMS, named, {name: case[0] for name, case in CASES.items()}, proofs)


@pytest.mark.parametrize("name", CASES)
def test_a_cell_has_the_verdict_of_the_audit(rows, name):
    (cell,) = rows[(rows["claim"] == "near") & (rows["variant"] == name)].to_dict("records")
    _, verdict, unmet = CASES[name]
    assert cell["verdict"] == verdict
    assert unmet is None or cell["unmet"] == unmet


# {how a cell fails: (kind, variant, value, what ten times the steps make of it: (verdict, value), the verdict)}
RUN_ON = {
    "stands": ("shapes", "narrow", 0.5, (FAILS, 0.49), FAILS),
    "nearer": ("shapes", "narrow", 0.5, (FAILS, 0.2), MOVING),
    "farther": ("shapes", "narrow", 0.5, (FAILS, 0.9), FAILS),
    "there": ("shapes", "narrow", 0.5, (HOLDS, 0.05), MOVING),
    "nothing": ("shapes", "narrow", 0.5, (UNTESTABLE, np.nan), FAILS),
    "not run": ("shapes", "narrow", 0.5, None, FAILS),
    "seeds": ("seeds", "other_seeds", 0.5, None, FAILS),
    "schedule": ("schedule", "half_step", 2.0, None, MOVING),
    "itself": ("schedule", "ten_times", 0.5, None, FAILS),
}


@pytest.mark.parametrize("name", RUN_ON)
def test_what_fails_is_judged_by_ten_times_the_steps(rows, name):
    kind, variant, value, end, verdict = RUN_ON[name]
    (cell,) = rows[(rows["claim"] == "near") & (rows["variant"] == "far")].to_dict("records")
    own = pd.DataFrame([cell | {"variant": variant, "kind": kind, "value": value}])
    if kind != "shapes":  # the default settings run on, which stand at 0.5
        own = pd.concat([own, pd.DataFrame([cell | {"variant": "ten_times", "kind": "schedule", "value": 0.5}])])
    longer = rows.iloc[:0]
    if end:
        longer = pd.DataFrame([cell | {"variant": variant, "verdict": end[0], "value": end[1]}])
    found = elsewhere.run_on(own, longer).iloc[0]
    assert found["verdict"] == verdict
    if end:
        assert found["longer"] == pytest.approx(end[1], nan_ok=True)


def test_what_does_not_fail_is_no_other_after_ten_times_the_steps(rows):
    others = rows[rows["verdict"] != FAILS].reset_index(drop=True)
    pd.testing.assert_frame_equal(elsewhere.run_on(others, others), others, check_dtype=False)


def test_an_interval_that_a_claim_makes_itself_may_be_too_wide_too(rows):
    """All four of four, or none."""
    found = rows[rows["claim"] == "often"].set_index("variant")["verdict"]
    assert (found["near"], found["far"], found["slow"]) == (UNDECIDED, FAILS, FAILS)


# {what is asked: (an interval, whether all of it meets it, whether some of it does)}
ACROSS = {
    "inside": (lambda one: one.must("≤ 0.5", "", ""), (0.1, 0.2), (True, True)),
    "across": (lambda one: one.must("≤ 0.5", "", ""), (0.4, 0.6), (False, True)),
    "beyond": (lambda one: one.must("≤ 0.5", "", ""), (0.6, 0.7), (False, False)),
    "around": (lambda one: one.must("≤ 0.1", "", "", around=1.0), (0.5, 1.5), (False, True)),
    "around one end": (lambda one: one.must("≤ 0.1", "", "", around=1.0), (1.05, 1.5), (False, True)),
    "around neither": (lambda one: one.must("≤ 0.1", "", "", around=1.0), (1.2, 1.5), (False, False)),
}


@pytest.mark.parametrize("name", ACROSS)
def test_an_interval_turned_round_meets_a_limit_where_some_of_it_does(name):
    limit, (low, high), wanted = ACROSS[name]
    row = pd.DataFrame({"value": [(low + high) / 2], "low": [low], "high": [high], "instances": [8]})
    turned = row.rename(columns={"low": "high", "high": "low"})
    condition = limit(number())
    assert tuple(all(condition.parts(table)[1].values()) for table in (row, turned)) == wanted


def test_the_sentence_counts_and_names(rows):
    assert elsewhere.sentences(rows[rows["claim"] == "near"]) == {
        "near": "holds in 1 of 8 variants, undecided in 2; not with far tokens "
        "(0.5); still moving with slow tokens (0.4); in part with control tokens (0.05); untestable in 2"
    }


def test_a_claim_is_not_said_of_what_it_fails_in(rows):
    claim, _ = CLAIMS
    assert elsewhere.beyond(claim, rows) == []
    for covers in (("shapes",), ("far",)):
        CLAIMS_OF = Claims(group="ours", range=covers)
        CLAIMS_OF.declare("near", *claim.read.main, short="", statement="", check="")
        assert elsewhere.beyond(CLAIMS_OF[0], rows) == ["far"]


def test_the_page_has_every_cell(rows):
    statements = {"near": "It is near.", "often": "It is often."}
    page = elsewhere.html(rows, statements)
    assert page.count('<td class="cell') == len(rows)
    assert "It is near." in page
    assert "smoke run" not in page
    assert "Numbers of a smoke run" in elsewhere.html(rows, statements, tiny=True)


def test_the_matrix_of_the_release_is_one_of_claims_that_are_here():
    assert tuple(RELEASED) == elsewhere.COLUMNS
    assert set(RELEASED["verdict"]) <= {*VERDICTS}
    assert (elsewhere.TEN_TIMES, elsewhere.OF_ONE_PROBLEM) == (variants.TEN_TIMES, variants.OF_ONE_PROBLEM)
    assert set(RELEASED["kind"]) <= set(variants.GROUPS)
    assert elsewhere.KINDS == variants.GROUPS
    homes = dict(zip(RELEASED["claim"], RELEASED["figure"], strict=True))
    assert homes == {key: HOME[key] for key in homes}
    assert set(RELEASED["figure"]) <= set(targets.elsewhere())
    assert not RELEASED.duplicated(["claim", "variant"]).any()


@pytest.mark.parametrize("key", sorted(BY_KEY))
def test_a_claim_is_said_of_no_variant_in_which_it_fails(key):
    """Its range is that of groups and variants that there are."""
    claim, own = BY_KEY[key], RELEASED[RELEASED["claim"] == key]
    assert set(claim.range) <= {*variants.GROUPS, *variants.USUAL, *variants.distributions(), *own["variant"]}
    if RELEASE.verdicts.get(key) in (HOLDS, IN_PART):  # another is said of nothing
        assert elsewhere.beyond(claim, RELEASED) == []


WIDE = r"\b(any|whatever|whichever)\b"  # these stand in claims that have a range beyond seeds
QUANTIFIED = rf"{WIDE}|\b(every|everywhere|always|never|throughout)\b"
# {a group of variants: how a statement names the one under which it was tried}
NAMES = {
    "shapes": r"\b(inputs?|dimensions?|shapes?)\b|\b[dnT] (=|≥|≫)",
    "tokens": r"Gaussian|almost all data|noise",
    "schedule": r"steps|rate",
    "other": r"=",
}


def said(claim):
    """Its statement; brackets quote others."""
    return re.sub(r"\((arXiv|[^)]*arXiv)[^)]*\)", "", claim.statement)


@pytest.mark.parametrize("key", sorted({*RELEASED["claim"]}))
def test_any_stands_where_the_matrix_allows_and_every_names_the_settings_beyond_which_it_fails(key):
    """The statement of a claim that holds names its shapes where it fails under others, and so its tokens and steps."""
    claim, own = BY_KEY[key], RELEASED[RELEASED["claim"] == key]
    if RELEASE.verdicts.get(key) != FAILS and re.search(WIDE, said(claim)):
        assert set(claim.range) - {"seeds"}, claim.statement
    if RELEASE.verdicts.get(key) in (HOLDS, IN_PART) and re.search(QUANTIFIED, said(claim)):
        for kind in set(own.loc[own["verdict"] == FAILS, "kind"]):
            assert re.search(NAMES[kind], claim.statement), f"{kind}: {claim.statement}"
