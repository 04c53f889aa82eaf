"""What stands under the name of a file that is written: a link stays a link, and what is no file stays what it is."""

import os
import socket
import stat

import pytest

from attnsvm import checksums, command
from attnsvm.errors import UserError
from attnsvm.store import save_text


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("there", [True, False], ids=["full", "dangling"])
def test_a_link_stays_and_the_file_behind_it_is_written(folder, there):
    (folder / "elsewhere").mkdir()
    if there:
        save_text("elsewhere/file.txt", "old")
    os.symlink("elsewhere/file.txt", "first")
    os.symlink("first", "second")
    save_text("second", "new")
    assert os.readlink("second") == "first"
    assert os.readlink("first") == "elsewhere/file.txt"
    assert (folder / "elsewhere/file.txt").read_text() == "new"
    assert checksums.holds("elsewhere/file.txt")
    assert {path.name for path in folder.iterdir()} == {"elsewhere", "first", "second"}
    assert {path.name for path in (folder / "elsewhere").iterdir()} == {"file.txt", ".file.txt.sha256"}


def test_a_link_to_what_is_not_there_makes_no_folder(folder):
    os.symlink("disk/that/is/gone/file.txt", "link")
    with pytest.raises(UserError, match=r"^link: cannot be written \(No such file or directory\)"):
        save_text("link", "new")
    assert [path.name for path in folder.iterdir()] == ["link"]


def test_a_circle_of_links_is_a_sentence(folder):
    os.symlink("one", "other")
    os.symlink("other", "one")
    with pytest.raises(UserError, match=r"^one: is a link that leads back to itself"):
        save_text("one", "new")
    assert os.readlink("one") == "other"


def device(path):
    try:
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 3))  # that of /dev/null
    except PermissionError:
        pytest.skip("to make a device needs root")


def listening(path):
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(path)


KINDS = {"a pipe": os.mkfifo, "a device": device, "a socket": listening, "a folder": os.mkdir}


@pytest.mark.parametrize("linked", [False, True], ids=["itself", "linked"])
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_no_file_is_not_replaced(folder, kind, linked):
    KINDS[kind]("thing")
    if linked:
        os.symlink("thing", "link")
    before = os.lstat("thing")
    name = "link" if linked else "thing"
    with pytest.raises(UserError, match=f"^{name}: is {kind}, expected a file; choose another place$"):
        save_text(name, "new")
    after = os.lstat("thing")
    assert (after.st_ino, after.st_mode) == (before.st_ino, before.st_mode)
    assert sorted(path.name for path in folder.iterdir()) == sorted({"thing", name})


def test_a_solve_says_so_before_it_solves(folder, capsys):
    os.mkfifo("pipe")
    assert command.main(["solve", "no-such-tokens.npz", "--out", "pipe"]) == 1
    assert capsys.readouterr().err == "error: pipe: is a pipe, expected a file; choose another place\n"
    assert command.main(["solve", "no-such-tokens.npz", "--out", "x" * 300]) == 1
    assert capsys.readouterr().err == f"error: {'x' * 300}: File name too long\n"
    assert command.main(["solve", "no-such-tokens.npz", "--out", ""]) == 1
    assert capsys.readouterr().err == "error: --out: expected the name of a file, got an empty one\n"
