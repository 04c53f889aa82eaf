"""Which files and settings are others than in the last run that ended well."""

import pytest

from attnsvm.pipeline import changed

SETTINGS = {
    "scale": "smoke",
    "figures": {"dpi": 100},
    "experiments": {"cone": {"problems": {"d": 8, "sizes": [(1, 2)]}}},
}


@pytest.fixture
def code(tmp_path, monkeypatch):
    """The code of the package, as a dict to change; and a folder to run in."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".snakemake").mkdir()
    files = {"attnsvm/a.py": "1", "attnsvm/b.py": "2"}
    monkeypatch.setattr(changed, "_code", lambda: dict(files))
    return files


def test_nothing_is_said_before_the_first_run_and_where_nothing_changed(code, tmp_path):
    assert changed.sentence(SETTINGS) == ""
    changed.remember(SETTINGS)
    assert changed.sentence(SETTINGS) == ""
    (tmp_path / ".snakemake/attnsvm-smoke.json").write_text("{")
    assert changed.sentence(SETTINGS) == ""


def test_the_files_and_settings_that_changed_are_named(code):
    changed.remember(SETTINGS)
    code["attnsvm/b.py"], code["attnsvm/c.py"] = "3", "4"
    said = changed.sentence(SETTINGS | {"figures": {"dpi": 72}})
    assert said == (
        "Changed since the last run that ended well: attnsvm/b.py, attnsvm/c.py, figures.dpi = 72 (was 100)."
    )
    assert changed.sentence(SETTINGS | {"scale": "paper"}) == "", "every scale has a memory of its own"


def test_the_code_is_that_of_the_package():
    found = changed._code()
    assert found["attnsvm/pipeline/changed.py"]
    assert len(found) > 500
