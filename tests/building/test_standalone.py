"""A figure's script draws the same picture from the csv, without this package; see also tests/plots."""

import ast
import subprocess
import sys

import pytest
from harness import ROOT

from attnsvm.building import cards, standalone
from attnsvm.building.configuration import resolve
from attnsvm.building.plan import Plan
from attnsvm.errors import UserError

SETTINGS = {"width": 6.75, "font_size": 8, "dpi": 100}
NAMES = [card.name for card in cards.figures(optional=True)]


@pytest.fixture(scope="module")
def scripts(tmp_path_factory):
    folder = tmp_path_factory.mktemp("scripts")
    for name in NAMES:
        standalone.write(name, SETTINGS, str(folder / f"{name}.plot.py"))
    return folder


def test_every_script_is_whole(scripts):
    """No name is missing and none is taken twice, as ruff sees it."""
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", "--select", "F", scripts]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout


@pytest.mark.parametrize("name", NAMES)
def test_no_script_imports_this_package_or_what_it_does_not_use(scripts, name):
    text = (scripts / f"{name}.plot.py").read_text()
    nodes = list(ast.walk(ast.parse(text)))
    imported = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    imported |= {node.module for node in nodes if isinstance(node, ast.ImportFrom)}
    tops = {one.partition(".")[0] for one in imported}
    assert tops <= {*sys.stdlib_module_names, "matplotlib", "numpy", "pandas", "scipy"}
    assert "multiprocessing" not in tops, "what the script does not use is left out"
    assert "# ships with matplotlib: the same glyphs" in text, "comments stay"


def test_equal_names_of_two_modules_are_told_apart(tmp_path, monkeypatch):
    """In what the figure takes from others, not in its own; arguments of the same name are left alone."""
    for name, text in {
        "first": "WIDE = 1\n\n\ndef draw(x):\n    return WIDE\n\n\ndef other(draw):\n    return draw + WIDE\n",
        "second": "from attnsvm.first import draw as below, other\nfrom attnsvm import first\nWIDE = 2\n\n\n"
        "def draw(x):\n    return below(x) + other(x) + WIDE + first.WIDE\n",
    }.items():
        (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.setattr(standalone, "ROOT", tmp_path)
    monkeypatch.setattr(standalone, "STYLE", "attnsvm.first")
    known = {f"attnsvm.{name}": f"{name}.py" for name in ("first", "second")}
    monkeypatch.setattr(standalone, "file_of", known.get)
    modules = standalone._closure("attnsvm.second")
    used = standalone._used(modules, [("attnsvm.second", "draw")])
    called = standalone._called(modules, used, "attnsvm.second")
    made = "".join(
        standalone._rewritten(modules[name], definition, called)
        for name in modules
        for definition in standalone._in_order(modules[name], used[name])
    )
    space = {}
    exec(made, space)
    assert "WIDE_of_first = 1" in made
    assert space["draw"](10) == 1 + (10 + 1) + 2 + 1


@pytest.mark.parametrize("said", [True, "true", "True"])
def test_scripts_are_made_where_they_are_asked_for(said):
    plain, asked = (Plan(resolve(given), {}) for given in ({}, {"standalone": said}))
    assert "figures/cone.plot.py" in asked.whole_figures("cone")
    assert plain.whole_figures("cone") == plain.figure_files("cone")
    assert asked.figure_files("cone") == plain.figure_files("cone"), "what is made from a figure needs no script"
    with pytest.raises(UserError, match="config: standalone: 'yes please' is not of type boolean"):
        resolve({"standalone": "yes please"})
    assert "standalone: false" in (ROOT / "config/config.yaml").read_text()
