"""Intermediates: whole or absent, and damage is noticed."""

import json
import os
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from harness import DAMAGE, ROOT, damage, run_python

from attnsvm.system import store, writing
from attnsvm.system.errors import UserError
from attnsvm.system.store import load_cells, load_csv, load_table, replacing, save_cells, save_csv, save_table

CELLS = {
    "n5": {
        "steps": np.arange(3),
        "W": {"weights": np.arange(600.0).reshape(6, 10, 10), "fro": {"status": np.array(["solved", "infeasible"])}},
        "KQ": {"weights": np.full((2, 3), -0.0)},
    },
    "n6": {"nothing": {}},
}
TABLE = pd.DataFrame({"d": np.arange(500), "value": np.linspace(0, 1, 500) ** 3})


def leaves(tree):
    """{path of names: (dtype, shape, bytes)} of nested dicts."""
    found = {}
    for name, value in tree.items():
        if isinstance(value, dict):
            found |= {(name, *path): leaf for path, leaf in leaves(value).items()}
        else:
            found[(name,)] = value.dtype.str, value.shape, value.tobytes()
    return found


def test_cells_come_back_to_the_bit(tmp_path):
    save_cells(tmp_path / "block.npz", CELLS)
    back = load_cells(tmp_path / "block.npz")
    assert list(back) == ["n5"]  # a cell without arrays leaves nothing
    assert leaves(back["n5"]) == leaves(CELLS["n5"])
    assert list(back["n5"]) == ["steps", "W", "KQ"]  # in the order they were written


def test_tables_come_back_to_the_bit(tmp_path):
    for save, load in ((save_table, load_table), (save_csv, pd.read_csv)):
        save(tmp_path / "t", TABLE)
        pd.testing.assert_frame_equal(load(tmp_path / "t"), TABLE, check_exact=True)


def test_same_content_same_bytes(tmp_path):
    for name in ("a", "b"):
        save_cells(tmp_path / f"{name}.npz", CELLS)
        save_table(tmp_path / f"{name}.parquet", TABLE)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()


@pytest.mark.parametrize("how", DAMAGE)
@pytest.mark.parametrize(
    ("save", "load", "content"),
    [(save_cells, load_cells, CELLS), (save_table, load_table, TABLE), (save_csv, load_csv, TABLE)],
)
def test_damage_is_noticed_and_named(tmp_path, save, load, content, how):
    path = tmp_path / "file"
    save(path, content)
    damage(path, how)
    with pytest.raises(UserError, match=r"file: damaged or truncated .*delete it and run snakemake again"):
        load(path)


@pytest.mark.parametrize(
    ("cells", "name"), [({"n5": {"a/b": np.zeros(1)}}, "a/b"), ({"n5": {"W": {"a/b": {"x": np.zeros(1)}}}}, "a/b")]
)
def test_a_name_with_a_slash_is_refused_and_leaves_nothing(tmp_path, cells, name):
    with pytest.raises(ValueError, match=f"{name}: expected a name without a slash"):
        save_cells(tmp_path / "block.npz", cells)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("place", ["n5/K", "n5/W/bias", "n5/W/fro/gap", "n6/W"])
def test_an_array_or_a_cell_that_is_missing_ends_with_its_sentence(tmp_path, place):
    save_cells(tmp_path / "block.npz", CELLS)
    found = load_cells(tmp_path / "block.npz")
    *above, name = place.split("/")
    for step in above:
        found = found[step]
    with pytest.raises(UserError, match=rf"block\.npz: there is no array {place}: block\.py of"):
        found[name]


@pytest.mark.parametrize("load", [load_cells, load_table, load_csv])
def test_a_missing_file_is_named(tmp_path, load):
    with pytest.raises(UserError, match="nowhere: missing; run snakemake to build it"):
        load(tmp_path / "nowhere")


def test_a_failed_write_leaves_the_old_file_and_no_other(tmp_path):
    path = tmp_path / "t.csv"
    save_csv(path, TABLE)
    before = path.read_bytes()

    def fail_half_way():
        with replacing(path) as temporary:
            temporary.write_text("half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail_half_way()
    assert path.read_bytes() == before
    assert sorted(os.listdir(tmp_path)) == [".t.csv.sha256", "t.csv"]


WRITERS = {
    "save_cells": "store.save_cells('out/file.npz', {'a': {'x': numpy.zeros(9999)}})",
    "save_table": "store.save_table('out/file.parquet', pandas.DataFrame({'x': numpy.random.rand(9999)}))",
    "save_csv": "store.save_csv('out/file.csv', pandas.DataFrame({'x': numpy.random.rand(9999)}))",
    "save_text": "store.save_text('out/file.md', 'x' * 99999, [])",
    "save_bytes": "store.save_bytes('out/file.png', bytes(99999))",
    "several": "inspection.save('out')",
    "figure": "f = Figure(); f.add_subplot().plot(numpy.random.rand(999)); drawing.save_figure(f, 'out/file', 100)",
}


PROGRAM = """
import json, os, resource, sys
import numpy, pandas
from matplotlib.figure import Figure
from attnsvm.system import store
from attnsvm.system.errors import UserError
from attnsvm.inspect.running import Inspection
from attnsvm.pipeline.running import drawing
inspection = Inspection(pandas.DataFrame({'x': range(9)}), 'x' * 99999, [])
resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))
said = {}
for writer, call in json.loads(sys.argv[1]).items():
    try:
        exec(call)
    except UserError as error:
        said[writer] = [str(error), os.listdir()]
print(json.dumps(said))
"""


def test_a_file_that_does_not_fit_ends_with_a_sentence_and_leaves_nothing(tmp_path):
    """The limit of a process on the size of a file stands for a full disk: the same error, without being root.

    Of several files of which the last does not fit none is there, and no folder that was made for them.
    """
    said = json.loads(run_python(PROGRAM, json.dumps(WRITERS), cwd=tmp_path, PYTHONPATH=str(ROOT)))
    assert said.keys() == WRITERS.keys()
    for sentence, left in said.values():
        assert re.fullmatch(
            r"out/(file|heads)\.\w+: cannot be written \(File too large\); free space or make the folder writable",
            sentence,
        )
        assert left == []


def test_a_file_is_on_the_disk_before_it_has_its_name(tmp_path, monkeypatch):
    """A loss of power leaves the old file or the new one, and no name with zeros behind it; so of a folder's files."""
    synced, moved, replace = set(), set(), os.replace
    monkeypatch.setattr(os, "fsync", lambda number: synced.add(os.fstat(number).st_ino))
    monkeypatch.setattr(os, "replace", lambda old, new: moved.add(os.stat(old).st_ino) or replace(old, new))
    with writing.filling(tmp_path / "folder") as made:
        (made / "x").write_text("x")
    save_csv(tmp_path / "t.csv", TABLE)
    assert {path.stat().st_ino for path in (tmp_path / "folder/x", tmp_path / "t.csv")} <= synced
    assert (tmp_path / "t.csv").stat().st_ino in moved


def test_words_of_strangers_are_text_to_a_spreadsheet(tmp_path):
    words = ["=1+1", "+1", "-x", "@sum(a1)", "\t=1", "\n=1", "＝1", "'=1", "the", "'s", "a\r=1", None]
    table = pd.DataFrame({"word": words, "number": -1.5, "mixed": [*words[:-1], -1]})
    store.save_csv(tmp_path / "t.csv", store.as_text(table))
    found = pd.read_csv(tmp_path / "t.csv", keep_default_na=False)
    assert [one.removeprefix("'") for one in found["word"][:8]] == words[:8]
    assert all(one.startswith("'") for one in found["word"][:8])
    assert found["word"].tolist()[8:] == ["the", "'s", "a\\r=1", ""]
    assert found["number"].tolist() == [-1.5] * len(words)
    assert found["mixed"].iloc[-1] == "-1"


def test_two_who_write_the_same_file_leave_each_other_alone(tmp_path):
    """As two jobs on different nodes may, when Snakemake was killed and started again while its jobs ran."""
    code = """
import sys
from attnsvm.system.store import replacing
with replacing("t.csv") as temporary:
    temporary.write_text("half")
    print("writes", flush=True)
    sys.stdin.readline()
    temporary.write_text("theirs")
"""
    with subprocess.Popen(
        [sys.executable, "-c", code], cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        other.stdout.readline()
        save_csv(tmp_path / "t.csv", TABLE)
        assert load_csv(tmp_path / "t.csv").equals(TABLE)
        assert [path.read_text() for path in tmp_path.glob(".t.csv.*.tmp")] == ["half"]
        other.communicate("\n")
    assert other.returncode == 0
    assert (tmp_path / "t.csv").read_text() == "theirs"
    assert sorted(os.listdir(tmp_path)) == [".t.csv.sha256", "t.csv"]
