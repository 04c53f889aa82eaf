"""Packages that offer names and import their modules late."""

import importlib
import sys

import pytest
from harness import ROOT, copy_repository, run_python

PACKAGES = ["attnsvm", "attnsvm.svm", "attnsvm.training", "attnsvm.training.stack", "attnsvm.audit"]


def test_these_are_the_packages_that_offer_names_and_none_has_a_way_of_its_own():
    offering, others = [], []
    for path in sorted((ROOT / "attnsvm").rglob("__init__.py")):
        name, text = ".".join(path.relative_to(ROOT).parts[:-1]), path.read_text("utf-8")
        (offering if "exports(__name__)" in text else others).append((name, text))
    assert [name for name, _ in offering] == sorted(PACKAGES)
    assert not [name for name, text in others if "__getattr__" in text]


SEEN = """
from attnsvm import geometry
from attnsvm.pipeline import cards, elsewhere, modules
from attnsvm.pipeline.hashes.dependencies import digest
from attnsvm.publish.paper import manuscript
print(geometry.NAMES, elsewhere.distributions(), manuscript.sources())
print([digest(one) for one in modules.of("variant", "cone")])
"""


def test_what_an_editor_puts_beside_a_module_is_none(tmp_path):
    """Its lock is a link that leads nowhere, and the copy of a module is no other module."""
    copy_repository(tmp_path, ["cone"])
    before = run_python(SEEN, cwd=tmp_path, PYTHONPATH=str(tmp_path))
    for name in (
        "geometry/fro",
        "data/tokens/spheres",
        "data/grids/shapes",
        "experiments/own/cone/svm",
        "batch/softmax",
    ):
        path = tmp_path / f"attnsvm/{name}.py"
        path.with_name(f".#{path.name}").symlink_to("somebody@somewhere.1234:567")
        for other in (f"#{path.name}#", f"{path.name}~", f".{path.name}.swp", f"{path.stem} copy.py", f".{path.name}"):
            path.with_name(other).write_text("'word' =")
    (tmp_path / "paper/sections/.#x.typ").symlink_to("somebody@somewhere")
    assert run_python(SEEN, cwd=tmp_path, PYTHONPATH=str(tmp_path)) == before


@pytest.mark.parametrize("name", PACKAGES)
def test_every_offered_name_is_the_thing_of_that_name_where_it_is_defined(name):
    package = importlib.import_module(name)
    assert package.__all__
    for own in {*package.__all__} - {"__version__"}:  # of what is installed
        thing = getattr(package, own)
        assert thing.__name__ == own
        assert getattr(sys.modules[thing.__module__], own) is thing
    assert {*package.__all__} <= {*dir(package)}


@pytest.mark.parametrize("name", PACKAGES)
def test_no_offered_name_is_that_of_a_module_of_the_package(name):
    """Once imported, the module would stand where the name is looked for."""
    package = importlib.import_module(name)
    folder = ROOT.joinpath(*name.split("."))
    assert not {*package.__all__} & {path.stem for path in folder.iterdir()}


def test_a_name_that_is_not_offered_is_an_error_that_names_the_package():
    package = importlib.import_module("attnsvm.svm")
    with pytest.raises(AttributeError, match=r"^module 'attnsvm\.svm' has no attribute 'nonsense'$"):
        package.nonsense  # noqa: B018


def test_a_package_is_read_as_a_type_checker_reads_it(tmp_path, monkeypatch):
    """Another name for what a module has, all of `__all__` by a star, nothing that stands outside the block."""
    (tmp_path / "made").mkdir()
    (tmp_path / "made/__init__.py").write_text(
        "from typing import TYPE_CHECKING\nfrom attnsvm.system.lazy import exports\n"
        "if TYPE_CHECKING:\n    from made.one import first as first\n    from made.one import second as other\n"
        "else:\n    __getattr__, __dir__ = exports(__name__)\n"
    )
    (tmp_path / "made/one.py").write_text("first, second = 1, 2\n")
    monkeypatch.syspath_prepend(tmp_path)
    made = importlib.import_module("made")
    assert made.__all__ == ["first", "other"]
    assert (made.first, made.other) == (1, 2)
    found: dict = {}
    exec("from made import *", found)
    assert {"first", "other"} <= {*found}
    assert not {"second", "exports"} & {*found}
    for name in ("made", "made.one"):
        monkeypatch.delitem(sys.modules, name)
