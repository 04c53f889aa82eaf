"""Where compiled code is kept: in a folder that is the user's alone, or nowhere.

Whole commands on such machines: tests/workflow/test_machines.py.
"""

from attnsvm.batch import on_disk
from attnsvm.system import caches


def test_a_temporary_folder_of_somebody_else_is_not_trusted(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    mine = caches.private()
    assert mine.parent == tmp_path
    assert caches.private() == mine
    mine.chmod(0o770)
    assert caches.private() is None
    mine.rmdir()
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    mine.symlink_to(tmp_path / "elsewhere")
    assert caches.private() is None
    mine.unlink()
    mine.write_text("a file")
    assert caches.private() is None


def test_the_working_folder_is_no_temporary_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TMPDIR", raising=False)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert caches.private() is None
    assert list(tmp_path.iterdir()) == []


def test_a_home_that_is_no_path_is_no_home(monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", "somewhere/relative")
    assert caches.of_the_user() is None


def test_a_folder_that_numba_refuses_after_all_is_passed_over(tmp_path, monkeypatch):
    """As one that an earlier `sudo` has filled; and numba's own choice is what it was."""
    monkeypatch.setattr(on_disk, "_folders", lambda source, wanted: iter(["refused", "fails"]))
    tried = []

    def decorate(cache=False, **options):
        tried.append((cache, on_disk.config.CACHE_DIR, options))
        if on_disk.config.CACHE_DIR == "refused":
            raise RuntimeError("cannot cache function: no locator available")
        if on_disk.config.CACHE_DIR == "fails":
            raise OSError("no space left on device")
        return lambda function: function

    def compiled(): ...

    own, options = on_disk.config.CACHE_DIR, {"nogil": True}
    assert on_disk.kept(decorate, compiled, **options) is compiled
    tried.append((False, on_disk.config.CACHE_DIR, options))
    assert tried == [(True, "refused", options), (True, "fails", options), *[(False, own, options)] * 2]


def test_a_full_disk_holds_no_code(small_disk, tmp_path):
    small_disk(tmp_path / "small", "size=64k")
    assert caches.writable(tmp_path / "small")
    assert not caches.writable(tmp_path / "small", on_disk.ROOM)
