"""What stands under the name of a file that is written: a link stays a link, and what is no file stays what it is."""

import errno
import os
import socket
import stat

import pytest

from attnsvm import command
from attnsvm.system import checksums
from attnsvm.system.errors import UserError
from attnsvm.system.store import save_text
from attnsvm.system.writing import filling


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


def test_a_file_keeps_its_rights_and_one_that_nobody_may_write_to_is_kept(folder):
    save_text("mine", "old")
    os.chmod("mine", 0o600)
    save_text("mine", "new")
    assert stat.S_IMODE(os.stat("mine").st_mode) == 0o600
    os.chmod("mine", 0o444)
    with pytest.raises(UserError, match=r"^mine: is read-only; choose another place, or allow writing to it$"):
        save_text("mine", "newer")
    assert (folder / "mine").read_text() == "new"
    assert checksums.holds("mine")


def test_where_this_process_prints_no_file_is_put(folder):
    """As `--out /dev/stdout > file`: the shell would go on writing to a file that has no name any longer."""
    with open("printed", "w") as file:
        before = os.dup(1)
        os.dup2(file.fileno(), 1)
        try:
            for name in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "printed"):
                with pytest.raises(UserError, match=r"is where this command prints; choose another place$"):
                    save_text(name, "new")
            (folder / "printed").unlink()
            with pytest.raises(UserError, match="is where this command prints"):
                save_text("/dev/stdout", "new")
        finally:
            os.dup2(before, 1)
    assert not list(folder.iterdir())


def test_an_open_file_without_a_name_is_not_written(folder):
    with open("gone", "w") as file:
        (folder / "gone").unlink()
        with pytest.raises(UserError, match="is a file without a name; choose another place"):
            save_text(f"/dev/fd/{file.fileno()}", "new")
    assert not list(folder.iterdir())


@pytest.mark.parametrize("code", [errno.EBUSY, errno.EXDEV, errno.ENOSPC, errno.EPERM])
def test_where_the_last_step_fails_the_old_file_and_its_checksum_stay(folder, monkeypatch, code):
    save_text("file", "old")
    replace = os.replace

    def fails(source, target):
        if os.path.basename(target) == "file":
            raise OSError(code, os.strerror(code))
        replace(source, target)

    monkeypatch.setattr(os, "replace", fails)
    mounted = code in (errno.EBUSY, errno.EXDEV)
    with pytest.raises(UserError, match="^file: is mounted by itself" if mounted else "^file: cannot be written"):
        save_text("file", "new")
    assert (folder / "file").read_text() == "old"
    assert checksums.holds("file")
    assert {path.name for path in folder.iterdir()} == {"file", ".file.sha256"}
    (folder / "file").unlink()
    (folder / ".file.sha256").unlink()
    with pytest.raises(UserError):
        save_text("file", "new")
    assert not list(folder.iterdir())


def test_only_what_a_killed_process_left_is_swept(folder):
    (folder / ".x.npz.123.tmp").touch()
    (folder / ".x.npz.123.sum.tmp").touch()
    mine = {".x.npz.mine.tmp", ".y.npz.123.tmp", ".x.npz.1a.tmp"}
    for name in mine:
        (folder / name).touch()
    save_text("x.npz", "new", checksum=False)
    assert {path.name for path in folder.iterdir()} == mine | {"x.npz"}
    save_text("*.npz", "new", checksum=False)
    assert {path.name for path in folder.iterdir()} == mine | {"x.npz", "*.npz"}


def fill(place, stop=False):
    with filling(place, last="b") as made:
        (made / "b").write_text("1")
        if stop:
            raise KeyboardInterrupt
        (made / "inner").mkdir()
        (made / "inner/a").write_text("2")


def test_a_folder_is_filled_whole_or_not_at_all(folder):
    os.mkdir("empty")
    os.mkdir("behind")
    os.symlink("behind", "link")
    os.symlink("later", "dangling")
    before = os.stat("empty").st_ino
    for place in ("new/deep", "empty", "link", "dangling"):
        fill(place)
        assert (folder / place / "inner/a").read_text() == "2"
        assert {path.name for path in (folder / place).iterdir()} == {"b", "inner"}
    assert os.stat("empty").st_ino == before
    assert os.path.islink("dangling")
    (folder / "file").touch()
    os.mkfifo("pipe")
    for place, sentence in {
        "empty": "is not empty; choose another place",
        "file": "is a file, expected a folder",
        "file/below": r"there is a file where it needs a folder",
        "pipe": "cannot be written",
        "x" * 300: r"cannot be written \(File name too long\)",
    }.items():
        with pytest.raises(UserError, match=sentence):
            fill(place)
    with pytest.raises(KeyboardInterrupt):
        fill("half", stop=True)
    there = {"new", "empty", "behind", "link", "later", "dangling", "file", "pipe"}
    assert {path.name for path in folder.iterdir()} == there


def test_a_disk_that_is_full_leaves_nothing_behind(folder, small_disk, capsys):
    small_disk(folder / "disk", "size=60k")
    assert command.main(["deploy", "disk/copy"]) == 1
    said = capsys.readouterr().err
    assert (
        said
        == "error: disk/copy: cannot be written (No space left on device); free space or make the folder writable\n"
    )
    assert not list((folder / "disk").iterdir())
    small_disk(folder / "disk", "size=6000k")
    assert command.main(["deploy", "disk/copy"]) == 0
    assert (folder / "disk/copy/Snakefile").is_file()
    assert command.main(["deploy", "disk/copy"]) == 1
