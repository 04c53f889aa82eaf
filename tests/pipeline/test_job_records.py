"""Snakemake's records beside the results: they speak for the files that are there, and for no others."""

import json
import os
import time
from pathlib import Path

import pytest

from attnsvm.pipeline import job_records
from attnsvm.system.errors import UserError

NAMES = ("figures/cone.csv", "figures/cone.pdf", "results/cone/cells.csv")


def written(folder, params, names=NAMES):
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        (folder / job_records.name(name)).write_text(json.dumps({"params": [params], "input": []}))


def said(folder):
    return {path.name: json.loads(path.read_text())["params"][0] for path in folder.iterdir()}


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """Snakemake's records and those beside the results; the files lie in the folder in which the test runs."""
    monkeypatch.chdir(tmp_path)
    return [Path(name) for name in (job_records.OWN, job_records.TRAVELLING)]


def test_those_of_a_run_are_packed_but_not_one_that_is_older_than_its_file(folders):
    """A job has written the second file anew and was killed; the third is gone, as one that is read once."""
    own, travelling = folders
    written(own, "new")
    written(travelling, "old", NAMES[:1])
    for name, later in zip(NAMES[:2], (-1, 1), strict=True):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).touch()
        date = (own / job_records.name(name)).stat().st_mtime + later
        os.utime(name, (date, date))
    (travelling / ".left.123.tmp").touch()
    job_records.pack(own, travelling)
    assert said(travelling) == {job_records.name(name): "new" for name in (NAMES[0], NAMES[2])}


def test_a_job_begins_without_the_records_of_what_it_writes_and_with_inputs_of_no_later_date(folders, monkeypatch):
    _, travelling = folders
    written(travelling, "travelled")
    Path("input").touch()
    os.utime("input", (4e9, 4e9))
    job_records.begin(["input", "gone"], NAMES[:2])
    assert len(said(travelling)) == 3, "elsewhere, as in a workflow of somebody else, there are none"
    assert os.stat("input").st_mtime <= time.time()
    monkeypatch.setenv(job_records.PLACE, job_records.TRAVELLING)
    job_records.begin([], NAMES[:2])
    assert said(travelling) == {job_records.name(NAMES[2]): "travelled"}


def test_a_file_lacks_a_record_where_there_is_none_or_one_that_snakemake_compares_no_more(folders):
    own, _ = folders
    written(own, "own", NAMES[:2])
    path = own / job_records.name(NAMES[0])
    path.write_text(json.dumps(json.loads(path.read_text()) | {"record_format_version": job_records.FORMAT}))
    assert job_records.lacking(own, NAMES, job_records.FORMAT) == [*NAMES[1:]]
    assert job_records.lacking(own, NAMES, job_records.FORMAT + 1) == [*NAMES]


@pytest.mark.parametrize("path", [*NAMES, "a" * 190, f"{'long/' * 150}x.csv"])
def test_the_name_of_a_record_is_that_which_snakemake_gives_it(path, tmp_path):
    from snakemake.persistence.file import FilePersistence

    store = FilePersistence(path=tmp_path, nolock=True)
    assert store._record_path(str(tmp_path), path) == f"{tmp_path}/{job_records.name(path)}"
    assert job_records.output(job_records.name(path)) == path


def test_ones_own_are_not_replaced_and_those_that_are_gone_come_back(folders):
    own, travelling = folders
    written(own, "own", NAMES[:1])
    written(travelling, "travelled")
    job_records.restore(own, travelling)
    assert said(own) == {job_records.name(name): "own" if name == NAMES[0] else "travelled" for name in NAMES}


def test_what_was_forgotten_does_not_come_back(folders):
    own, travelling = folders
    written(travelling, "travelled")
    job_records.forget(travelling, [*NAMES[:2], "figures/that_never_was.csv"])
    job_records.restore(own, travelling)
    assert said(own) == {job_records.name(NAMES[2]): "travelled"}


def test_the_beginning_of_one_stays_since_another_process_may_write_it(folders):
    own, travelling = folders
    written(own, "own")
    begun, broken = own / job_records.name(NAMES[0]), own / job_records.name(NAMES[1])
    begun.write_bytes(begun.read_bytes()[:5])
    broken.write_bytes(b"\xff")
    job_records.restore(own, travelling)
    assert begun.exists()
    assert not broken.exists()


def test_no_room_for_them_is_a_sentence(tmp_path):
    written(tmp_path / "travelling", "travelled")
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match="cannot be written"):
        job_records.restore(tmp_path / "file/own", tmp_path / "travelling")
