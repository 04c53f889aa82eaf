"""`attnsvm compare`: what counts as the same, where numbers differ, and whether verdicts are those of the reference."""

import json
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from attnsvm import command
from attnsvm.audit import Tables
from attnsvm.pipeline import cards, job_records
from attnsvm.pipeline.configuration import resolve
from attnsvm.pipeline.plan import Plan
from attnsvm.pipeline.running import drawing
from attnsvm.publish.exchange import compare, reference, release
from attnsvm.publish.exchange.differences import MARGIN, USUAL, Tolerance, distances, seen
from attnsvm.publish.exchange.reference import rounded
from attnsvm.system import checksums
from attnsvm.system.errors import UserError
from attnsvm.system.store import save_csv, save_text
from attnsvm.system.version import __version__

NAMES = ("cone", "feasibility", "norm_growth")
PROOFS = pd.DataFrame({"solved": [10], "infeasible": 0, "remote": 0, "uncertified": 0})


RELEASE = reference.read()


def table(name):
    return RELEASE.table(name)


def build(folder, change=None, names=NAMES, settings=None):
    """A folder as a run leaves it, with the tables of the release; `change`: of the table of `cone`."""
    for name in names:
        rows = table(name)
        save_csv(folder / f"figures/{name}.csv", change(rows) if change and name == "cone" else rows)
        for one in cards.read(name).draws:
            save_csv(folder / f"results/{one}/certificates.csv", PROOFS)
        asked = {one: resolve({})["experiments"][one] for one in cards.read(name).draws} | (settings or {})
        config = {"experiments": asked}
        origin = {"config": config, "machine": {"cpu": "made up"}, "packages": {"python": "3.14"}}
        (folder / f"figures/{name}.json").write_text(json.dumps(origin))
        if not settings:
            job_records.note(
                [folder / f"figures/{name}.csv"], Plan(resolve(config), {}).made(f"figures/{name}.csv"), {}
            )
    return folder


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A reference of the made-up build."""
    folder = tmp_path_factory.mktemp("reference")
    release.make(build(folder / "build"), [], folder / "reference.zip")
    return reference.read(folder / "reference.zip")


def outcome(made, folder, name="cone"):
    return next(one for one in compare.compare(made, folder) if one.name == name)


def scaled(factor, rows=slice(None), column="value"):
    def change(given):
        given = given.copy()
        given.loc[given.index[rows], column] *= factor
        return given

    return change


def test_the_same_build_has_the_same_bytes_and_verdicts(made, tmp_path):
    found = compare.compare(made, build(tmp_path))
    assert {one.name: one.outcome for one in found} == dict.fromkeys(NAMES, compare.BYTES)
    assert all(one.reproduced for one in found)
    claims = sum(len(cards.read(name).claims) for name in NAMES)
    assert sum(one.claims for one in found) == claims
    assert compare.summary(found) == f"3 figures: 3 same bytes; {claims} of {claims} verdicts as in the reference"
    (tmp_path / "results/feasibility/certificates.csv").unlink()  # without which no verdict is known
    assert compare.verdicts_of("feasibility", tmp_path) == {}


def test_rounding_is_told_from_a_difference_and_both_say_where(made, tmp_path):
    one = outcome(made, build(tmp_path / "a", scaled(1 + 0.5 * USUAL)))
    assert one.outcome == compare.ROUNDED
    assert one.reproduced
    one = outcome(made, build(tmp_path / "b", scaled(1 + 1e-3, slice(3, 4))))
    there = rounded(table("cone")["value"].to_numpy())[3]
    assert one.outcome == compare.DIFFERS
    assert not one.reproduced
    assert one.why.startswith("value in line 5 (kind=")
    here = rounded(table("cone")["value"].to_numpy() * (1 + 1e-3))[3]
    assert f"is {here:.7g}, in the reference {there:.7g}" in one.why
    assert "1 of " in one.why


def test_a_verdict_that_flips_is_named_though_nothing_else_is(made, tmp_path):
    claim = cards.read("cone").claims[0]
    usual = claim.reading(Tables(tmp_path, "cone", {"figures/cone.csv": table("cone")})).verdict
    assert usual == made.verdicts[claim.key]
    changed = table("cone").assign(value=0.0)
    found = claim.reading(Tables(tmp_path, "cone", {"figures/cone.csv": changed}))
    assert found.verdict != usual
    one = outcome(made, build(tmp_path, lambda _: changed))
    assert one.changed[claim.key] == (found.verdict, usual)
    assert any(line.strip().startswith(f"claim {claim.key}: {found.verdict} here") for line in one.lines(10))


def test_other_rows_columns_or_settings_are_said(made, tmp_path):
    rows = len(table("cone"))
    assert (
        outcome(made, build(tmp_path / "a", lambda t: t.iloc[:-1])).why
        == f"{rows - 1} rows here, {rows} in the reference"
    )
    less = outcome(made, build(tmp_path / "b", lambda t: t.rename(columns={"mu": "nu"})))
    assert less.why == "its columns: nu only here, mu only there"
    other = outcome(made, build(tmp_path / "c", settings={"cone": {"descent": {"steps": 7}}}))
    assert other.outcome == compare.OTHER
    assert other.reproduced
    assert "cone.descent.steps is 7, in the reference" in other.why or "is not there, in the reference" in other.why


def test_what_is_damaged_or_was_made_by_other_code_is_not_compared(made, tmp_path):
    folder, behind = build(tmp_path / "runs/a"), "runs/a/results/cone/measures.parquet"
    csv = folder / "figures/cone.csv"
    save_text(tmp_path / behind, "other")
    job_records.note([csv], checksums.record(csv)["made"], {behind: "0" * 64})
    assert outcome(made, folder).why == f"it was made of another {behind}; build figures/cone again"
    job_records.note([csv], "other", {})
    assert outcome(made, folder).why == "it was made of other settings or by other code; build figures/cone again"
    save_csv(csv, table("cone"))
    assert outcome(made, folder).why == f"{job_records.UNKNOWN}; build figures/cone again"
    csv.write_text("kind\n")
    one = outcome(made, folder)
    assert (one.outcome, one.reproduced) == (compare.STALE, False)
    assert one.why.startswith("damaged")


def test_a_build_of_some_figures_is_compared_in_these(made, tmp_path):
    found = {one.name: one.outcome for one in compare.compare(made, build(tmp_path, names=("cone",)))}
    assert found == {"cone": compare.BYTES, "feasibility": compare.ABSENT, "norm_growth": compare.ABSENT}
    assert all(one.reproduced for one in compare.compare(made, tmp_path))


def test_what_moved_between_processors_may_move_that_far_and_no_further(tmp_path):
    """Two numbers of the build on another processor are 1 % off, so as many may be, by MARGIN times as much."""
    few, share = slice(0, 2), scaled
    folder = build(tmp_path / "one")
    other = build(tmp_path / "other", share(1.01, few))
    made = release.make(folder, [other], tmp_path / "reference.zip")
    assert made.builds == 2
    assert made.figures["cone"].tolerances.keys() == {"value"}
    assert outcome(made, build(tmp_path / "a", share(1.02, few))).outcome == compare.ROUNDED
    assert outcome(made, build(tmp_path / "b", share(1 + 0.011 * MARGIN, few))).outcome == compare.DIFFERS
    assert outcome(made, build(tmp_path / "c", share(1.01))).outcome == compare.DIFFERS


def test_what_an_earlier_reference_has_seen_stays_for_the_same_settings(tmp_path):
    folder, path = build(tmp_path / "one"), tmp_path / "reference.zip"
    before = release.make(folder, [build(tmp_path / "other", scaled(1.01, slice(0, 2)))], path)
    again = release.make(folder, [], path)
    assert again.figures == before.figures
    assert again.builds == 2
    origin = folder / "figures/cone.json"
    found = json.loads(origin.read_text())
    found["config"]["experiments"]["cone"]["descent"]["steps"] = 7
    origin.write_text(json.dumps(found))
    assert release.make(folder, [], path).figures["cone"].tolerances == {}


def test_a_reference_has_the_same_bytes_twice_and_no_digits_that_nobody_compares(made, tmp_path):
    release.make(build(tmp_path / "build"), [], tmp_path / "again.zip")
    assert (tmp_path / "again.zip").read_bytes() == made.path.read_bytes()
    for name in NAMES:
        kept, whole = made.table(name), table(name)
        assert list(kept) == list(whole)
        for column in whole:
            assert (distances(kept[column], whole[column]) <= 2.0**-reference.BITS).all()


def test_what_stands_on_a_figure_counts_answers_without_proof_as_the_audit_does(tmp_path, monkeypatch):
    build(tmp_path, names=["feasibility"])
    counted, drawn = tmp_path / "results/feasibility/certificates.csv", []
    csv, words = str(tmp_path / "figures/feasibility.csv"), {"title": "which are separable", "scale": "paper"}
    asked = Plan(resolve({}), {}).inputs("figure")(figure="feasibility")
    assert [str(tmp_path / path) for path in asked["certificates"]] == [str(counted)]
    monkeypatch.setattr(drawing, "figure", lambda *given: drawn.append(given))
    job = SimpleNamespace(name="feasibility", params=SimpleNamespace(settings=words), outputs={"csv": csv})
    job.inputs = {"feasibility": "", "certificates": str(counted)}
    drawing.JOBS["figure"](job)
    assert drawn[0][2:] == ({"feasibility": ""}, csv.removesuffix(".csv"), [str(counted)])
    for without, verdict in ((0, "holds"), (5, "undecided")):
        save_csv(counted, PROOFS.assign(uncertified=without))
        assert drawing.headed("feasibility", words, csv, drawn[0][-1])["headline"][1] == verdict
        assert {*compare.verdicts_of("feasibility", tmp_path).values()} == {verdict}


def test_what_cannot_be_a_reference_ends_with_one_sentence(made, tmp_path, capsys):
    with pytest.raises(UserError, match="no figure is built"):
        release.make(tmp_path, [], tmp_path / "r.zip")
    folder = build(tmp_path / "a")
    fewer = build(tmp_path / "b", lambda t: t.iloc[:-1])
    with pytest.raises(UserError, match="do not have the same rows and columns; the other builds must be of the same"):
        release.make(folder, [fewer], tmp_path / "r.zip")
    wordy = build(tmp_path / "c", lambda t: t.assign(kind="other"))
    with pytest.raises(UserError, match="kind: the builds differ in more than numbers"):
        release.make(folder, [wordy], tmp_path / "r.zip")
    (folder / "figures/cone.json").unlink()
    with pytest.raises(UserError, match=r"cone\.json: there is no such file"):
        release.make(folder, [], tmp_path / "r.zip")
    assert not (tmp_path / "r.zip").exists()
    (tmp_path / "r.zip").write_bytes(made.path.read_bytes()[:-100])
    for path, said in ((tmp_path / "nowhere.zip", "there is no such reference"), (tmp_path / "r.zip", "damaged")):
        assert command.main(["compare", str(tmp_path), "--reference", str(path)]) == 1
        assert said in capsys.readouterr().err


def test_the_status_of_the_command_is_for_machines(made, tmp_path, capsys):
    given = ["--reference", str(made.path)]
    assert command.main(["compare", str(build(tmp_path / "a")), *given]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("3 figures: 3 same bytes")
    build(tmp_path / "runs/b", scaled(1.1))
    assert command.main(["compare", str(tmp_path), "--run", "b", *given]) == 1
    assert "1 differs" in capsys.readouterr().out


def test_the_reference_that_is_shipped_is_of_this_release_and_can_be_compared_with():
    shipped = reference.read()
    assert shipped.release == __version__
    known = {card.name for card in cards.figures(optional=True)}
    assert set(shipped.figures) <= known
    claims = {claim.key for card in cards.claiming(optional=True) for claim in card.claims}
    assert set(shipped.verdicts) <= claims
    for name, figure in shipped.figures.items():
        table = shipped.table(name)
        assert set(table) == set(cards.read(name).columns)
        assert set(figure.tolerances) <= set(table)


def test_distances_know_missing_numbers_words_and_the_rounding_of_differences():
    nan = float("nan")
    here, there = pd.Series([1.0, 2.0, nan, nan, 3e-16, 1e-9]), pd.Series([1.0, 1.0, nan, 1.0, 0.0, 2e-9])
    np.testing.assert_allclose(distances(here, there), [0, 0.5, 0, np.inf, 0, 0.4995], atol=1e-6)
    assert list(distances(pd.Series(["a", None]), pd.Series(["b", None]))) == [np.inf, 0]
    assert not Tolerance().allows(np.array([2e-6]))
    assert Tolerance().allows(np.array([0.5e-6] * 9))
    moved = seen([pd.DataFrame({"x": here[:2]}), pd.DataFrame({"x": there[:2]})])["x"]
    assert moved == Tolerance(pytest.approx(0.5), 0.5)


def test_a_folder_without_a_figure_ends_with_a_sentence(made, tmp_path):
    for folder, said in ((tmp_path, "is built here at full scale"), (tmp_path / "nowhere", "no such folder")):
        with pytest.raises(UserError, match=said):
            compare.compare(made, folder)


def test_a_summary_counts_no_verdict_where_none_was_read_and_a_long_list_is_short(made, monkeypatch, capsys):
    absent = [compare.Compared(f"figure_{k}", compare.ABSENT) for k in range(80)]
    monkeypatch.setattr(compare, "compare", lambda *_: [compare.Compared("cone", compare.BYTES), *absent])
    assert command.main(["compare", "--reference", str(made.path)]) == 0
    *_, listed, summary = capsys.readouterr().out.splitlines()
    assert listed.startswith("not built: figure_0, figure_1, figure_2, ")
    assert listed.endswith(", figure_29, and 50 more")
    assert summary == "81 figures: 1 same bytes, 80 not built"
