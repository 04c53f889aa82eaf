"""Numbers of the paper: read from the cells that are declared, refused where there is none, printed as asked."""

import math

import pandas as pd
import pytest
from small import DECLARED, SMOKE

from attnsvm.audit.evaluation import VERDICTS
from attnsvm.pipeline import cards
from attnsvm.publish.paper import declared
from attnsvm.publish.paper.number_format import shown, text
from attnsvm.system.errors import UserError


def test_a_number_comes_with_its_interval_unit_digits_and_source(collected):
    one = collected()["numbers"]["cone.last"]
    assert (one["value"], one["low"], one["high"], one["digits"], one["unit"]) == (0.123456, 0.1, 0.2, 3, "")
    assert one["source"] == "figures/cone.csv, value where kind = a, last step"
    assert (one["figure"], one["row"]) == ("cone", "")
    assert [piece["digits"] for piece in one["shown"]] == ["0.123", "0.100", "0.200"]


def test_a_number_may_be_taken_from_several_rows(collected):
    one = collected()["numbers"]["cone.most"]
    expected = {"value": 3.0, "low": None, "unit": "runs", "source": "figures/cone.csv, max of value"}
    assert expected.items() <= one.items()


@pytest.mark.parametrize(("above", "count"), [(0.1, 2), (1, 1), (5, 0)])
def test_rows_above_a_number_are_counted(collected, above, count):
    text = f"cone.far: {{figure: cone, column: value, above: {above}, take: count}}"
    one = collected(text=text)["numbers"]["cone.far"]
    assert (one["value"], one["source"]) == (count, f"figures/cone.csv, count of value where value > {above:g}")


def test_a_share_of_none_has_an_upper_end(collected):
    assert collected(row={"instances": 64})["numbers"]["audit.stays.missed"]["value"] == pytest.approx(0.0566, abs=1e-4)


def test_audit_rows_settings_counts_and_costs_have_numbers(collected):
    found = collected()["numbers"]
    experiments = len(cards.experiments())
    expected = {
        "audit.stays": 0.9, "audit.stays.threshold": 0.5, "audit.stays.instances": 40, "rows.asked": 1, "rows.holds": 1,
        "rows.fails": 0, "certificates.checked": 9 * experiments, "certificates.uncertified": experiments,
        "certificates.rational": 3 * experiments, "certificates.largest_gap": 1e-12,
        "cost.minutes": 1.5, "cost.jobs": 3,
    }  # fmt: skip
    assert {key: found[key]["value"] for key in expected} == expected
    assert found["audit.stays"]["row"] == "stays"
    assert found["settings.cone.problems.d"]["value"] > 0
    assert {f"rows.{verdict.replace(' ', '_')}" for verdict in VERDICTS} < set(found)


def test_a_row_that_says_what_holds_instead_is_no_claim_as_first_asked(collected):
    found = collected(row={"sharpens": "other", "seeds": "1 to 2"})["numbers"]
    assert [found[f"rows.{name}"]["value"] for name in ("asked", "sharper", "sharper_hold")] == [0, 1, 1]


@pytest.mark.parametrize(("kind", "own"), [("theorem", 1), ("ours", 0)])
def test_the_kinds_are_counted_apart(collected, kind, own):
    found = collected(row={"kind": kind, "verdict": "undecided"})["numbers"]
    counted = [
        found[f"{place}.{name}"]["value"] for place in ("rows", "rows.theorem") for name in ("asked", "undecided")
    ]
    assert counted == [1, 1, own, own]


def test_a_claim_says_what_it_does_not_meet(collected):
    found = collected(row={"further": "yes: so; no: the control"})
    assert found["claims"][0]["unmet"] == ["the control"]


@pytest.mark.parametrize(
    ("edit", "sentence"),
    [
        (("value, interval", "valeu, interval"), "cone.last: figures/cone.csv has no column 'valeu': did you mean"),
        (("kind: a", "kind: b"), "cone.last: figures/cone.csv, value where kind = b, last step: there is no such row"),
        ((", last: step", ""), "cone.last: .*: 2 rows, expected one: say `take` or more of `where`"),
        (("figure: cone, where", "figure: cones, where"), "cone.last: there is no figure 'cones': did you mean 'cone'"),
        (("take: max", "take: mox"), "cone.most: take one of min, "),
        (("unit: runs", "units: runs"), "cone.most: the keys of a number are figure, column, "),
        (("cone.most: {", "cone.most: x # {"), "cone.most: expected \\{figure"),
    ],
)
def test_what_cannot_be_read_is_refused_by_its_key(collected, edit, sentence):
    with pytest.raises(UserError, match=f"^paper/numbers.yaml: {sentence}"):
        collected(text=DECLARED.replace(*edit))


def test_a_number_that_is_not_finite_is_refused_and_at_smoke_scale_a_dash(collected, tmp_path):
    table = pd.DataFrame([{"kind": "a", "step": 1, "value": math.inf, "low": 0.1, "high": 0.2}])
    with pytest.raises(UserError, match=r"^paper/numbers.yaml: cone.last: .* is not finite"):
        collected(table=table)
    (tmp_path / "run").rename(tmp_path / "before")
    assert collected(SMOKE, table=table)["numbers"]["cone.last"]["shown"][0]["digits"] == "–"
    (tmp_path / "run").rename(tmp_path / "first")
    assert collected(SMOKE, text=DECLARED.replace("kind: a", "kind: b"))["numbers"]["cone.last"]["value"] is None


def test_a_figure_that_was_not_built_has_no_numbers(collected):
    found = collected(figures=())
    assert "cone.last" not in found["numbers"]
    assert "pretrained" in found["absent"]
    assert "pretrained" not in found["optional"]
    assert {"cone.last", "pretrained_sink"} & {*found["missing"]} == {"pretrained_sink"}


@pytest.mark.parametrize(
    ("value", "digits", "printed"),
    [
        (0.123456, 2, "0.12"),
        (0.0996, 2, "0.10"),
        (0.9999, 2, "1.0"),
        (5.83e-7, 2, "5.8·10^−7"),
        (-0.034, 2, "−0.034"),
        (32400, 2, "32,400"),
        (1234.5, 2, "1,200"),
        (6.3e6, 2, "6.3·10^6"),
        (0, 2, "0"),
        (None, 2, "–"),
        (math.nan, 2, "–"),
    ],
)
def test_a_number_is_printed_with_its_digits(value, digits, printed):
    assert text(value, digits) == printed
    assert set(shown(value, digits)) == {"digits", "power"}


def test_every_number_of_the_manuscript_is_of_a_figure_and_a_column_that_there_is():
    """The columns as the cards document them: what no full build is needed to find."""
    for one in declared.read().values():
        columns = cards.read(one.figure).columns
        assert {one.column, *one.where, *one.interval, *filter(None, [one.last])} <= set(columns), one.key
