"""What `attnsvm verify` says: a check that checked nothing has failed, and what a file is, its content tells."""

import io
import os
import shutil

import numpy as np
import pytest
from harness import damage

from attnsvm import command
from attnsvm.pipeline.verify import main as verify
from attnsvm.system import checksums
from attnsvm.system.store import save_text


@pytest.fixture(scope="module")
def solved(tmp_path_factory):
    """A folder with a problem and its answer, whose names have no ending."""
    folder = tmp_path_factory.mktemp("solved")
    rng = np.random.default_rng(0)
    tokens, queries = rng.normal(size=(3, 4, 5)), rng.normal(size=(3, 5))
    with open(folder / "problem", "wb") as file:
        np.savez(file, tokens=tokens, queries=queries, selected=np.zeros(3, dtype=int))
    assert command.main(["solve", str(folder / "problem"), "--out", str(folder / "answer")]) == 0
    return folder


@pytest.fixture
def answered(folder, solved):
    """The same beside files with checksums."""
    return shutil.copytree(solved, folder / "solved")


def said(capsys, *paths):
    """The status of `attnsvm verify`, and the lines that it printed."""
    capsys.readouterr()
    status = command.main(["verify", *map(str, paths)])
    out, err = capsys.readouterr()
    assert err == ""
    return status, out.splitlines()


@pytest.mark.parametrize("path", ["", ":", ".", "results:"])
def test_nothing_of_the_folder_where_one_stands_is_run(folder, capfd, monkeypatch, path):
    """A stranger's results may have modules of Python beside them; a colon too many in PYTHONPATH means this folder."""
    monkeypatch.setenv("PYTHONPATH", path)
    for name in ("numpy", "json", "attnsvm"):
        (folder / f"{name}.py").write_text("print('run')")
    (folder / "results/a/problems.npz").write_bytes(b"no problems")
    assert said(capfd)[1][-1] == "No answer of a stage file was judged: attnsvm verify results judges them all again."
    assert command.main(["verify", "results"]) == 1
    assert "run" not in capfd.readouterr().out.split()


def test_every_damaged_file_is_named_and_the_status_says_so(folder, capsys):
    assert verify([]) == 0
    assert capsys.readouterr().out == "3 files compared, 0 answer files judged: nothing wrong.\n"
    damage(folder / "results/b.csv")
    assert verify([]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"results/b.csv: damaged ({checksums.DIFFERS}); the next run rebuilds it"
    assert lines[1:] == ["3 files compared, 0 answer files judged: 1 wrong."]
    assert verify(["figures"]) == 0


def test_one_file_is_compared_under_its_name_and_through_a_link(folder, capsys):
    assert said(capsys, "figures/c.csv") == (0, ["1 file compared, 0 answer files judged: nothing wrong."])
    (folder / "link").symlink_to("figures/c.csv")
    assert said(capsys, "link") == (0, ["1 file compared, 0 answer files judged: nothing wrong."])
    damage(folder / "figures/c.csv")
    assert said(capsys, "link")[0] == 1


NOTHING = "holds nothing to verify: no answer of attnsvm solve, and no file with its checksum"


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("missing", "there is no such file or folder"),
        ("empty", NOTHING),
        ("plain", NOTHING),
        ("plain/x.csv", NOTHING),
        ("plain/zeros.npz", NOTHING),
        ("gone", NOTHING),
        ("dangling", "is no file and no folder"),
        ("pipe", "is no file and no folder"),
    ],
)
def test_what_holds_nothing_to_verify_fails(path, sentence, folder, capsys):
    (folder / "empty").mkdir()
    (folder / "plain").mkdir()
    (folder / "plain/x.csv").write_text("1\n")
    np.savez(folder / "plain/zeros.npz", x=np.zeros(3))
    save_text("gone/x.csv", "1\n")
    (folder / "gone/x.csv").unlink()
    (folder / "dangling").symlink_to("nowhere")
    os.mkfifo("pipe")
    assert said(capsys, path) == (1, [f"{path}: {sentence}", "0 files compared, 0 answer files judged: 1 wrong."])
    status, lines = said(capsys, "figures", path)
    assert (status, lines[-1]) == (1, "1 file compared, 0 answer files judged: 1 wrong.")


def test_where_the_default_folders_have_nothing_that_is_said(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    sentence = "There is nothing to verify in results and figures: name a file or a folder."
    assert said(capsys) == (1, [sentence])
    (tmp_path / "results").mkdir()
    assert said(capsys) == (1, [sentence])
    save_text("results/x.csv", "1\n")
    (tmp_path / "figures").mkdir()
    assert said(capsys) == (0, ["1 file compared, 0 answer files judged: nothing wrong."])


def test_an_answer_is_known_by_its_content(answered, capsys):
    status, (proved, counted) = said(capsys, "solved/answer")
    assert (status, counted) == (0, "0 files compared, 1 answer file judged: nothing wrong.")
    assert proved.startswith("solved/answer: solves solved/problem in the norm fro: ")


def test_the_answers_in_a_folder_are_judged(answered, capsys):
    shutil.copy(answered / "answer", answered / "copy.dat")
    save_text(answered / "x.csv", "1\n")
    status, lines = said(capsys, "solved", "results")
    assert (status, lines[-1]) == (0, "3 files compared, 2 answer files judged: nothing wrong.")
    assert [line.partition(":")[0] for line in lines[:-1]] == ["solved/answer", "solved/copy.dat"]
    (answered / "problem").unlink()
    status, lines = said(capsys, "solved")
    assert (status, lines[-1]) == (1, "1 file compared, 2 answer files judged: 2 wrong.")


def without(name):
    """An answer that has lost an array."""

    def change(whole):
        made = io.BytesIO()
        np.savez(made, **{key: value for key, value in np.load(io.BytesIO(whole)).items() if key != name})
        return made.getvalue()

    return change


@pytest.mark.parametrize(
    ("name", "change", "sentence"),
    [
        ("answer", lambda whole: whole[: len(whole) // 2], "is not an .npz file of plain arrays"),
        ("answer", lambda whole: bytes(len(whole)), "is not an .npz file of plain arrays"),
        ("answer.npz", lambda whole: b"", "is not an .npz file of plain arrays"),
        ("answer.npz", lambda whole: whole[10:], "is not an .npz file of plain arrays"),
        ("answer", without("problem_sha256"), "is no certificate: the array problem_sha256 is missing"),
        ("answer", without("status"), "is no certificate: the array status is missing"),
    ],
)
def test_what_is_left_of_an_answer_is_no_other_file(name, change, sentence, answered, capsys):
    whole = (answered / "answer").read_bytes()
    (answered / "answer").unlink()
    (answered / name).write_bytes(change(whole))
    for path in ("solved", f"solved/{name}"):
        status, lines = said(capsys, path)
        assert (status, lines[0]) == (1, f"solved/{name}: {sentence}")


def test_a_folder_that_cannot_be_read_is_named(folder, monkeypatch, capsys):
    def walk(top, onerror=None, followlinks=False):
        if onerror:
            onerror(PermissionError(13, "Permission denied", "results/a"))
        yield top, [], []

    monkeypatch.setattr(checksums.os, "walk", walk)
    status, lines = said(capsys, "results")
    assert (status, lines[0]) == (1, "results/a: cannot be read (Permission denied)")


EVIL = "a\x1b]0;title\x07\nall verified\x9b\u202e\udcff.csv"


def test_no_name_steers_the_terminal(folder, capsys):
    save_text(f"figures/{EVIL}", "1\n")
    damage(folder / "figures" / EVIL)
    status, lines = said(capsys, "figures", f"no{EVIL}")
    escaped = r"a\x1b]0;title\x07\nall verified\x9b\u202e\udcff.csv"
    assert status == 1
    assert lines[0].startswith(f"figures/{escaped}: damaged (")
    assert lines[1] == f"no{escaped}: there is no such file or folder"
    assert command.main(["solve", f"no{EVIL}"]) == 1
    assert capsys.readouterr().err == f"error: no{escaped}: there is no such file\n"
