"""Snakemake's records beside the results: they speak for the files that are there, and for no others."""

import json

import pytest

from attnsvm.errors import UserError
from attnsvm.pipeline import records

NAMES = ("figures/cone.csv", "figures/cone.pdf", "results/cone/cells.csv")


def written(folder, params, names=NAMES):
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        (folder / records.name(name)).write_text(json.dumps({"params": [params], "input": []}))


def said(folder):
    return {path.name: json.loads(path.read_text())["params"][0] for path in folder.iterdir()}


@pytest.fixture
def folders(tmp_path):
    return [tmp_path / name for name in (records.OWN, records.STARTED, records.TRAVELLING)]


def test_those_of_a_run_are_packed_but_not_of_what_was_begun_and_not_finished(folders):
    own, started, travelling = folders
    written(own, "new")
    written(travelling, "old", NAMES[:1])
    written(started, "", NAMES[1:2])
    (travelling / ".left.123.tmp").touch()
    records.pack(own, started, travelling)
    assert said(travelling) == {records.name(name): "new" for name in (NAMES[0], NAMES[2])}


def test_ones_own_are_not_replaced_and_those_that_are_gone_come_back(folders):
    own, _, travelling = folders
    written(own, "own", NAMES[:1])
    written(travelling, "travelled")
    records.restore(own, travelling)
    assert said(own) == {records.name(name): "own" if name == NAMES[0] else "travelled" for name in NAMES}


def test_what_was_forgotten_does_not_come_back(folders):
    own, _, travelling = folders
    written(travelling, "travelled")
    records.forget(travelling, [*NAMES[:2], "figures/that_never_was.csv"])
    records.restore(own, travelling)
    assert said(own) == {records.name(NAMES[2]): "travelled"}


def test_the_beginning_of_one_stays_since_another_process_may_write_it(folders):
    own, _, travelling = folders
    written(own, "own")
    begun, broken = own / records.name(NAMES[0]), own / records.name(NAMES[1])
    begun.write_bytes(begun.read_bytes()[:5])
    broken.write_bytes(b"\xff")
    records.restore(own, travelling)
    assert begun.exists()
    assert not broken.exists()


def test_no_room_for_them_is_a_sentence(tmp_path):
    written(tmp_path / "travelling", "travelled")
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match="cannot be written"):
        records.restore(tmp_path / "file/own", tmp_path / "travelling")
