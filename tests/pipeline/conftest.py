"""Files with their checksums beside them."""

import pytest

from attnsvm.system.store import save_text


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("results/a/table.csv", "results/b.csv", "figures/c.csv"):
        save_text(name, f"content of {name}\n")
    return tmp_path
