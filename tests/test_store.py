"""Intermediates: whole or absent, and damage is noticed."""

import os

import numpy as np
import pandas as pd
import pytest

from attnsvm.errors import UserError
from attnsvm.files.store import load_cells, load_table, replacing, save_cells, save_csv, save_table

CELLS = {"n5": {"W": np.arange(600.0).reshape(6, 10, 10), "status": np.array(["solved", "infeasible"])}, "n6": {}}
TABLE = pd.DataFrame({"d": np.arange(500), "value": np.linspace(0, 1, 500) ** 3})


def test_cells_come_back_to_the_bit(tmp_path):
    save_cells(tmp_path / "block.npz", CELLS)
    back = load_cells(tmp_path / "block.npz")
    assert list(back) == ["n5"]  # a cell without arrays leaves nothing
    for name, array in CELLS["n5"].items():
        assert back["n5"][name].dtype == array.dtype
        assert (back["n5"][name] == array).all()


def test_tables_come_back_to_the_bit(tmp_path):
    save_table(tmp_path / "t.parquet", TABLE)
    pd.testing.assert_frame_equal(load_table(tmp_path / "t.parquet"), TABLE, check_exact=True)


def test_csv_keeps_every_digit(tmp_path):
    save_csv(tmp_path / "t.csv", TABLE)
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "t.csv"), TABLE, check_exact=True)


def test_same_content_same_bytes(tmp_path):
    for name in ("a", "b"):
        save_cells(tmp_path / f"{name}.npz", CELLS)
        save_table(tmp_path / f"{name}.parquet", TABLE)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()


def damaged(data, how):
    if how == "truncated":
        return data[: len(data) // 2]
    if how == "emptied":
        return b""
    middle = len(data) // 2
    return data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]


@pytest.mark.parametrize("how", ["truncated", "emptied", "bit flipped"])
@pytest.mark.parametrize(
    ("save", "load", "content"), [(save_cells, load_cells, CELLS), (save_table, load_table, TABLE)]
)
def test_damage_is_noticed_and_named(tmp_path, save, load, content, how):
    path = tmp_path / "file"
    save(path, content)
    path.write_bytes(damaged(path.read_bytes(), how))
    with pytest.raises(UserError, match=r"file: damaged or truncated .*delete it and run snakemake again"):
        load(path)


@pytest.mark.parametrize("load", [load_cells, load_table])
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
