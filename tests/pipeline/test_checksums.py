"""The SHA-256 beside every file: in the format of sha256sum, and with a word for what it finds."""

import errno
import shutil
import subprocess

import pytest
from harness import damage

from attnsvm.system import checksums


@pytest.mark.skipif(shutil.which("sha256sum") is None, reason="not installed: sha256sum")
def test_sha256sum_reads_the_same_files(folder):
    def sha256sum():
        done = subprocess.run(["sha256sum", "-c", ".b.csv.sha256"], cwd=folder / "results", check=False)
        return done.returncode

    assert sha256sum() == 0
    damage(folder / "results/b.csv")
    assert sha256sum() == 1


def test_what_differs_is_listed_in_order_and_what_is_gone_is_not(folder):
    assert checksums.damaged(["results", "figures"]) == []
    damage(folder / "results/b.csv")
    damage(folder / "figures/c.csv")
    (folder / "results/a/table.csv").unlink()
    assert checksums.damaged(["results", "figures"]) == ["figures/c.csv", "results/b.csv"]
    assert checksums.damaged(["results"]) == ["results/b.csv"]
    assert checksums.damaged(["nowhere"]) == []


def test_a_file_without_a_checksum_holds(folder):
    (folder / "results/own.csv").write_text("by hand")
    assert checksums.holds("results/own.csv")
    assert checksums.damaged(["results"]) == []


def test_a_folder_behind_a_link_is_searched_and_each_once(folder):
    (folder / "disk").mkdir()
    (folder / "results/a").rename(folder / "disk/a")
    (folder / "results/a").symlink_to(folder / "disk/a")
    (folder / "disk/a/above").symlink_to(folder)
    damage(folder / "disk/a/table.csv")
    assert checksums.damaged(["results"]) == ["results/a/table.csv"]


def test_a_link_in_the_place_of_a_file_is_another_one(folder):
    (folder / "elsewhere.csv").write_text("of another workflow\n")
    (folder / "results/b.csv").unlink()
    (folder / "results/b.csv").symlink_to(folder / "elsewhere.csv")
    assert not checksums.holds("results/b.csv")
    assert checksums.damaged(["results"]) == ["results/b.csv"]


def test_a_file_that_the_disk_cannot_read_is_damaged(folder, monkeypatch):
    def fails(path):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(checksums, "of", fails)
    assert checksums.damaged([folder]) == sorted(str(path) for path in folder.rglob("[!.]*.csv"))
