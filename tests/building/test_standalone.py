"""The file of a figure's code draws the same picture from the csv, without this package; see also tests/plots."""

import zipfile

import pytest
from harness import ROOT

from attnsvm.building import cards, standalone
from attnsvm.building.configuration import resolve
from attnsvm.building.plan import Plan
from attnsvm.errors import UserError

SETTINGS = {"width": 6.75, "font_size": 8, "dpi": 100}
NAMES = [card.name for card in cards.figures(optional=True)]


@pytest.mark.parametrize("name", NAMES)
def test_a_file_holds_the_code_of_its_figure_and_of_no_stage(name, tmp_path):
    path = tmp_path / f"{name}.plot.pyz"
    standalone.write(name, SETTINGS, str(path))
    held = set(zipfile.ZipFile(path).namelist())
    assert {"__main__.py", "attnsvm/plots/style.py"} < held
    assert not [file for file in held if file.startswith(("attnsvm/training", "attnsvm/svm", "attnsvm/building"))]


def test_the_same_code_makes_the_same_bytes(tmp_path):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        standalone.write("cone", SETTINGS, str(tmp_path / folder / "cone.plot.pyz"))
    assert (tmp_path / "a/cone.plot.pyz").read_bytes() == (tmp_path / "b/cone.plot.pyz").read_bytes()


@pytest.mark.parametrize("said", [True, "true", "True"])
def test_files_are_made_where_they_are_asked_for(said):
    plain, asked = (Plan(resolve(given), {}) for given in ({}, {"standalone": said}))
    assert "figures/cone.plot.pyz" in asked.whole_figures("cone")
    assert plain.whole_figures("cone") == plain.figure_files("cone")
    assert asked.figure_files("cone") == plain.figure_files("cone"), "what is made from a figure needs no script"
    with pytest.raises(UserError, match="config: standalone: 'yes please' is not of type boolean"):
        resolve({"standalone": "yes please"})
    assert "standalone: false" in (ROOT / "config/config.yaml").read_text()
