"""A build is judged again from its files: what holds is confirmed without solving, whatever was changed is named."""

import json
import re
import shutil
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from test_stages import Experiment, parts

from attnsvm import command
from attnsvm.pipeline import answers, blocks, cards
from attnsvm.pipeline.configuration import block_settings, resolve
from attnsvm.pipeline.running import records, reverification, stages
from attnsvm.svm import as_arrays, audit_log, certified, separation, solve, solve_batch, solver
from attnsvm.svm.audit_log import DiffersError, Record
from attnsvm.system import checksums
from attnsvm.system.errors import UserError
from attnsvm.system.store import load_cells

CELLS = ("n2_T3_d6_one", "n2_T3_d6_two")


class Solving(Experiment):
    """Its descent solves problems too; of its answers the stage svm keeps W in one norm and proofs in another."""

    def __init__(self):
        super().__init__()
        self.parts["descent"] = SimpleNamespace(__name__="mine.descent", descent=self.descent)
        self.parts["svm"] = SimpleNamespace(__name__="mine.svm", svm=self.svm, KEPT=())

    @staticmethod
    def descent(problems, settings, progress):
        found = certified(problems, np.zeros((len(problems), 2), dtype=int), "fro")
        return {"W": {"weights": found["W"].mean((1, 2))}, "start": found}

    @staticmethod
    def svm(problems, trained, settings):
        same = np.ones((len(problems), 2), dtype=int)
        below = problems.tokens.copy()
        below[:, 1] = -2 * below[:, 0]  # what input 1 asks for, input 0 forbids
        queries = np.repeat(problems.queries[:, :1], 2, axis=1)
        parallel = [separation(X, z, np.array([0, 0])) for X, z in zip(below[:, :, :2], queries, strict=True)]
        found = {"nuc": certified(problems, same, "nuc"), "none": as_arrays(solve_batch(parallel))}
        assert (found["none"]["status"] == "infeasible").all()
        return found


@pytest.fixture
def built(monkeypatch, tmp_path):
    """The folder of a block with problems.npz, descent.npz and svm.npz, in which no method can find an answer."""
    experiment = Solving()
    monkeypatch.setattr(cards, "read", lambda name: {"tiny": experiment}[name])
    (own,) = parts()
    paths = {stage: str(tmp_path / f"tiny/block/{stage}.npz") for stage in ("problems", "descent", "svm")}
    stages.problems("tiny", {"first_seed": 3, "instances": 5}, own, paths["problems"])
    stages.descent("tiny", {"steps": 2}, paths, paths["descent"])
    stages.svm("tiny", {}, paths, paths["svm"])

    def nothing(*_):
        raise AssertionError("a method was asked")

    monkeypatch.setattr(solver, "_claims", nothing)
    return tmp_path / "tiny/block"


def rewritten(path, change):
    """The file with its arrays changed, and its checksum that of the new bytes."""
    with np.load(path) as archive:
        arrays = {name: archive[name] for name in archive.files}
    change(arrays)
    np.savez(path, **arrays)
    checksums.beside(path).write_bytes(checksums.line(path, path.name))


def test_a_build_is_confirmed_without_solving(built, capsys):
    assert reverification.main([str(built.parent)]) == 0
    said = capsys.readouterr().out
    assert "descent.npz: 10 answers: 10 solved" in said
    assert "svm.npz: 20 answers: 10 solved, 10 infeasible" in said
    assert "30 answers: 20 solved, 10 infeasible" in said.splitlines()[-1]
    assert "0 files failed" in said


def test_no_stage_reads_the_records(built):
    for stage in ("descent", "svm"):
        assert list(load_cells(built / f"{stage}.npz")) == list(CELLS)
    held = load_cells(built / "svm.npz")[CELLS[0]]
    assert set(held["nuc"]) == {"status", "gap", "low", "arithmetic"}  # no W and no multipliers, as KEPT asks


KEPT = f"{records.NAME}/{CELLS[1]}"
NUC, NONE = f"{CELLS[1]}/nuc", f"{CELLS[1]}/none"


def scaled(name, by):
    return lambda arrays: arrays.update({name: arrays[name] * by})


def put(name, place, value):
    def change(arrays):
        arrays[name] = arrays[name].copy()
        arrays[name][place] = value

    return change


def without(name):
    return lambda arrays: arrays.pop(name)


def without_all(*words):
    return lambda arrays: [arrays.pop(name) for name in [*arrays] if any(word in name for word in words)]


def shorter(*names):
    return lambda arrays: arrays.update({name: arrays[name][:-1] for name in names})


BY_ANSWER = [f"{KEPT}/{name}" for name in ("claimed", "status", "method", "size", "support", "parts")]
CHANGES = {
    "another W": (put(f"{KEPT}/matrices", 0, 9.0), "answer 0 was kept as solved, .* a constraint is violated"),
    "a W that is not a number": (put(f"{KEPT}/matrices", 0, np.nan), "answer 0 was kept as solved"),
    "negative multipliers": (scaled(f"{KEPT}/dual", -1.0), "answer 0 was kept as solved"),
    "a multiplier elsewhere": (put(f"{KEPT}/index", 0, 3), "answer 0 was kept as solved"),
    "another status": (put(f"{KEPT}/status", 7, 0), "answer 7 was kept as solved, and is infeasible"),
    "no last answer": (shorter(*BY_ANSWER), "answer 9 is asked for, and there is no record of it"),
    "no records of a cell": (without_all(KEPT), "answer 0 is asked for, and there is no record"),
    "records of another problem": (put(f"{KEPT}/size", 0, 5), "answer 0 is not of the problem with 4 constraints"),
    "an array of the records gone": (without(f"{KEPT}/index"), "there is no array .*/index"),
    "a status in the file": (put(f"{NUC}/status", 0, "infeasible"), "the array nuc/status is not what follows"),
    "a gap in the file that is a little wrong": (put(f"{NUC}/gap", 2, 1e-11), "the array nuc/gap is not what follows"),
    "a bound in the file that is a little larger": (scaled(f"{NUC}/low", 1 + 1e-9), "nuc/low is not what follows"),
    "an arithmetic in the file": (put(f"{NONE}/arithmetic", 0, ""), "the array none/arithmetic is not what"),
    "an array gone": (without(f"{NUC}/low"), "nuc/ holds low in one of both alone"),
    "an array too many": (lambda arrays: arrays.update({f"{NUC}/x": np.zeros(2)}), "nuc/ holds x in one of both"),
}


@pytest.mark.parametrize("what", CHANGES)
def test_whatever_is_changed_is_named_with_file_cell_and_answer(built, capsys, what):
    change, said = CHANGES[what]
    rewritten(built / "svm.npz", change)
    with pytest.raises((UserError, ValueError), match=said):
        reverification.again(built / "svm.npz")
    assert reverification.main([str(built)]) == 1
    lines = [line for line in capsys.readouterr().out.splitlines() if "not confirmed" in line]
    assert len(lines) == 1
    assert str(built / "svm.npz") in lines[0]
    assert CELLS[1] in lines[0]


def refused(folder, capsys):
    assert reverification.main([str(folder)]) == 1
    (line,) = [line for line in capsys.readouterr().out.splitlines() if "not confirmed" in line]
    return line


@pytest.mark.parametrize("name", ["another", "iny", "block/tiny"])
def test_answers_of_another_experiment_are_refused(built, capsys, name):
    asked = json.dumps({"name": name, "stage": "svm", "settings": {}})
    rewritten(built / "svm.npz", lambda arrays: arrays.update({ASKED: np.array(asked)}))
    assert f"was written for the experiment {name}" in refused(built, capsys)


def test_a_setting_that_no_user_changes_is_that_of_the_card(built, capsys, monkeypatch):
    monkeypatch.setattr(Experiment, "fixed", {"attention": "cross"})
    asked = json.dumps({"name": "tiny", "stage": "svm", "settings": {"attention": "self"}})
    rewritten(built / "svm.npz", lambda arrays: arrays.update({ASKED: np.array(asked)}))
    rewritten(built / "descent.npz", without_all(records.NAME, "start"))
    assert "was made with attention = self, not cross" in refused(built, capsys)


def test_a_block_that_is_there_twice_is_noticed(built, capsys):
    shutil.copytree(built, built.with_name("other"))
    assert "problems are there twice: n2_T3_d6_one, seed 3" in refused(built.parent, capsys)
    assert reverification.main([str(built)]) == 0  # alone, it is what it was


def test_blocks_of_different_settings_are_noticed(built, capsys):
    shutil.copytree(built, other := built.with_name("other"))
    asked = json.dumps({"name": "tiny", "stage": "descent", "settings": {"steps": 3}})
    rewritten(other / "descent.npz", lambda arrays: arrays.update({ASKED: np.array(asked)}))
    assert "its blocks were made with different settings of descent" in refused(built.parent, capsys)


def test_as_many_answers_as_the_build_has_counted(built, capsys):
    loaded = [load_cells(built / f"{stage}.npz") for stage in ("descent", "svm")]
    frames = [answers.count(tree, "tiny") for cells in loaded for tree in cells.values()]
    counted = answers.total(frames, "tiny")
    counted.to_csv(built.parent / "certificates.csv", index=False)
    assert reverification.main([str(built.parent)]) == 0
    rewritten(built / "descent.npz", without_all(records.NAME, "start"))
    assert "its certificates.csv counts other answers than its blocks hold" in refused(built.parent, capsys)


def test_the_share_of_answers_without_proof_is_named_by_cell():
    counts = {"solved": [3, 4], "infeasible": 0, "remote": 0, "uncertified": [1, 0], "rational": 0, "largest_gap": 0.0}
    one = pd.DataFrame({"solve": ["a", "b"], **counts})
    seen = SimpleNamespace(proofs={"n2": one, "n3": one.assign(uncertified=0)})
    said = list(reverification._unproved(Path("x"), [seen, seen]))
    assert said == ["x: n2: 2 of 16 answers are not proved (12.50%), most of a: 2 of 8"]


def test_solves_that_are_named_by_numbers_are_counted(tmp_path):
    one = pd.DataFrame({"solve": ["1", "2"], "solved": 3} | dict.fromkeys(answers.COLUMNS[2:], 0))
    one.to_csv(tmp_path / "certificates.csv", index=False)
    seen = reverification.Seen(Counter(), 0, 0.0, {}, {}, {"n2": one})
    assert reverification._together(tmp_path, {tmp_path / "svm.npz": seen}) == ""


def test_answers_behind_a_link_are_judged(built, capsys, tmp_path):
    built.parent.rename(tmp_path / "tiny-elsewhere")
    (tmp_path / "results").mkdir()
    (tmp_path / "results/tiny").symlink_to(tmp_path / "tiny-elsewhere")
    assert reverification.main([str(tmp_path / "results")]) == 0
    assert "30 answers" in capsys.readouterr().out


def test_answers_without_their_problems_are_not_confirmed(built, tmp_path, capfd):
    (built / "problems.npz").unlink()
    checksums.beside(built / "problems.npz").unlink()
    assert reverification.main([str(built)]) == 1
    assert "problems.npz" in capfd.readouterr().out
    assert command.main(["verify", str(built.parent)]) == 1  # it judges where there is an answer, problems or none
    assert "answers of 2 stage files judged again" in capfd.readouterr().out


@pytest.mark.parametrize("more", [(), (NUC, NONE, f"{CELLS[0]}/nuc", f"{CELLS[0]}/none")], ids=["answers", "neither"])
def test_a_file_without_any_record_is_named(built, capsys, more):
    rewritten(built / "svm.npz", without_all(records.NAME, *more))
    assert reverification.main([str(built)]) == 1
    assert "svm.npz: its answers were not kept" in capsys.readouterr().out


def test_a_cell_that_no_problems_belong_to_is_named(built):
    def another(arrays):
        arrays |= {
            f"more/{name.split('/', 1)[1]}": array for name, array in arrays.items() if name.startswith(CELLS[0])
        }

    rewritten(built / "svm.npz", another)
    with pytest.raises(UserError, match="more: there are no such problems"):
        reverification.again(built / "svm.npz")


def test_of_a_descent_that_solves_what_it_trained_must_follow(built, capsys):
    rewritten(built / "descent.npz", scaled(f"{CELLS[0]}/W/weights", 1.01))
    assert reverification.main([str(built)]) == 1
    assert f"descent.npz: {CELLS[0]}: the array W/weights is not what follows" in capsys.readouterr().out


def test_a_descent_without_answers_is_passed_over(built):
    rewritten(built / "descent.npz", without_all(records.NAME, "start"))
    assert not reverification.again(built / "descent.npz").counts


def test_problems_that_were_changed_are_noticed(built):
    rewritten(built / "problems.npz", put(f"{CELLS[1]}/problems/tokens", 0, 9.0))
    with pytest.raises(ValueError, match=f"{CELLS[1]}: answer 0 was kept as solved, and is uncertified"):
        reverification.again(built / "svm.npz")


def test_the_command_judges_the_answers_of_a_folder_and_not_its_checksums_alone(tmp_path, capfd):
    card, config, folder = cards.read("heads"), resolve({"scale": "smoke"}), tmp_path / "heads/block"
    inputs = {}
    for stage in card.stages[:-1]:
        given = blocks.grid(card, config) if stage == "problems" else dict(inputs)
        inputs[stage] = str(folder / f"{stage}.npz")
        getattr(stages, stage)("heads", block_settings(cards.read("heads"), config, stage), given, inputs[stage])
    assert command.main(["verify", str(tmp_path)]) == 0
    said = capfd.readouterr().out.splitlines()
    assert said[-2].endswith("; judged again from 1 stage files, 0 files failed")
    assert re.fullmatch(
        "[1-9] files compared, answers of 1 stage file judged again, 0 answer files judged: nothing wrong.", said[-1]
    )
    name = next(path for path in np.load(inputs["svm"]).files if path.endswith("/block/W"))
    rewritten(folder / "svm.npz", put(name, 0, 9.0))
    assert command.main(["verify", str(tmp_path)]) == 1
    said = capfd.readouterr().out
    assert "answers are not confirmed" in said
    assert re.search("answers of 1 stage file judged again, 0 answer files judged: [1-9] wrong", said.splitlines()[-1])


def test_a_judge_that_ends_early_has_confirmed_nothing(tmp_path, capfd, monkeypatch):
    (tmp_path / "problems.npz").touch()
    monkeypatch.setattr("sys.executable", shutil.which("false"))
    assert command.main(["verify", str(tmp_path)]) == 1
    assert capfd.readouterr().out.endswith("answers of 1 stage file judged again, 1 answer file judged: 2 wrong.\n")


def test_records_come_back_to_the_bit():
    W = np.arange(6.0).reshape(2, 3)
    dual = np.array([0.0, -0.0, 1e-300, np.nan, 5.0])
    given = [
        Record("solved", "solved", "a", dual, (W,)),
        Record("infeasible", "remote", "b", np.zeros(0), ()),
        Record("solved", "uncertified", "a", np.ones(300), (W[:, :2] + 1, W[:, 1:] - 1)),
        Record("solved", "solved", "a", dual[::-1], (W.T.copy().T,)),
    ]
    tree = {"deep": {"W": np.stack([W + 1, W])}, "other": np.zeros(3)}
    arrays = records.packed(given, tree)
    assert len(arrays["shapes"]) == 2  # W is in the tree; the factors are not
    for was, found in zip(given, records.unpacked(arrays, tree), strict=True):
        assert (was.claimed, was.status, was.method) == (found.claimed, found.status, found.method)
        assert was.dual.tobytes() == found.dual.tobytes()
        assert [m.tobytes() for m in was.matrices] == [m.tobytes() for m in found.matrices]
        assert [m.shape for m in was.matrices] == [m.shape for m in found.matrices]


def test_records_that_nothing_asks_for_are_an_error():
    c = separation(np.eye(3)[None], np.ones((1, 2)), np.array([0]))
    with audit_log.recording() as kept:
        first = solve(c)
    assert [record.status for record in kept] == ["solved"]
    with audit_log.replaying(kept):
        again = solve(c, "fro")
    assert (again.W == first.W).all()
    assert again.gap == first.gap
    with pytest.raises(DiffersError, match="1 records are left"), audit_log.replaying(kept * 2):
        solve(c)
    assert not audit_log.replays()


def test_what_no_method_was_asked_for_is_kept_too():
    tokens = np.eye(3)[None].repeat(2, 0)
    tokens[1, 1] = tokens[1, 0] + 1e-15
    c = separation(tokens, np.ones((2, 2)), np.array([0, 0]))
    with audit_log.recording() as kept:
        first = solve(c)
    assert first.status == "uncertified"
    assert "copy" in first.rejected
    arrays = records.packed(kept, {})
    with audit_log.replaying(records.unpacked(arrays, {})):
        assert solve(c).rejected == first.rejected


def of(name, change):
    path = f"{records.NAME}/{CELLS[0]}/{name}"
    return lambda arrays: arrays.update({path: change(arrays[path])})


ASKED = f"{records.NAME}/{records.TASK}/json"


@pytest.mark.parametrize(
    "change",
    [
        of("status", lambda a: a.astype(float)),
        of("size", lambda a: np.full_like(a, 10**13, dtype=np.uint64)),
        of("size", lambda a: a[0]),
        of("shapes", lambda a: np.zeros(3)),
        of("dual", lambda a: a.astype(str)),
        of("matrices", lambda a: a.astype(np.float32)),
        of("place", lambda a: a.astype(float)),
        lambda arrays: arrays.update({ASKED: np.array("[1]")}),
        lambda arrays: arrays.update({ASKED: np.array("[" * 10**5)}),
    ],
)
def test_records_of_other_types_are_named_and_the_other_files_judged(change, built, capsys):
    rewritten(built / "descent.npz", change)
    assert reverification.main([str(built)]) == 1
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith(f"{built}/descent.npz: ")
    assert said[0].endswith("its answers are not confirmed")
    assert "svm.npz: 20 answers: 10 solved, 10 infeasible" in said[1]
