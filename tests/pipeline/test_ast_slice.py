"""The part of a module that one function needs: it gives what the whole module gives, and runs nothing beside it."""

import json
import sys

import pytest
from harness import run_python

from attnsvm.pipeline import ast_slice

WITHOUT = """
import json, sys

class Nothing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("numpy", "torch", "scipy", "pandas", "numba", "sklearn"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

if sys.argv[1] == "without":
    sys.meta_path.insert(0, Nothing())
from attnsvm.pipeline import blocks, cards
from attnsvm.pipeline import ast_slice
from attnsvm.pipeline.configuration import resolve, stage_settings

found = {}
for scale in ("paper", "smoke"):
    resolved = resolve({"scale": scale})
    for card in cards.experiments(optional=True):
        if "outside" not in card.modules:
            module, settings = card.modules["problems"], stage_settings(card, resolved, "problems")
            cells = ast_slice.function(module, "cells") if sys.argv[1] == "without" else card.module("problems").cells
            found[f"{scale} {card.name}"] = blocks.as_parts(cells(settings))
print(json.dumps(found))
"""


def test_the_grids_of_all_experiments_are_the_same_without_numpy():
    whole, part = (json.loads(run_python(WITHOUT, how)) for how in ("with", "without"))
    assert len(whole) > 100
    assert part == whole


@pytest.fixture
def written(tmp_path, monkeypatch):
    """A function that writes a package attnsvm of some modules, and takes a function of its module `a`."""

    def write(**modules):
        (tmp_path / "attnsvm").mkdir()
        for name, text in {"__init__": "", **modules}.items():
            (tmp_path / f"attnsvm/{name}.py").write_text(text)
        monkeypatch.setattr(ast_slice, "path_of", lambda file: tmp_path / file)
        monkeypatch.setattr(ast_slice, "file_of", file_of)
        return ast_slice._taken.__wrapped__("attnsvm.a", "f")

    def file_of(module):
        name = f"{module.replace('.', '/')}.py"
        return name if (tmp_path / name).exists() else ""

    return write


def test_what_the_function_does_not_need_is_not_run(written):
    assert written(a="X = 1 / 0\nY = 3\ndef f(): return Y\n")() == 3


def test_what_changes_a_needed_value_is_run(written):
    text = "T = {}\nT['a'] = 1\nT.update(b=2)\ndef add(g): T[g.__name__] = 3; return g\n"
    text += "@add\ndef c(): pass\nfor k in 'd': T[k] = 4\ndef f(): return T\n"
    assert written(a=text.replace("@add", "@T.setdefault('e', add)"))() == {"a": 1, "b": 2, "c": 3, "d": 4, "e": ANY}


class Any:
    def __eq__(self, other):
        return True


ANY = Any()


def test_a_package_that_is_not_there_is_missed_where_it_is_used(written):
    text = "import nosuch as n\nfrom attnsvm.b import g\ndef draw(x: n.array): return n.zeros(x)\n"
    text += "DRAWS = {'a': draw, 'b': g}\ndef f(): return DRAWS\n"
    draws = written(a=text, b="from nosuch import thing\nWIDTH = thing.width\ndef g(): return WIDTH\n")()
    assert [*draws] == ["a", "b"]
    for draw, given in ((draws["a"], (1,)), (draws["b"], ())):
        with pytest.raises(ModuleNotFoundError, match="nosuch"):
            draw(*given)


def test_a_module_that_is_imported_already_gives_its_own(monkeypatch):
    monkeypatch.setitem(sys.modules, "attnsvm.data.cells", type("M", (), {"grid": 5}))
    assert ast_slice.function("attnsvm.data.cells", "grid") == 5


def test_a_name_that_is_not_there_is_an_error():
    with pytest.raises(AttributeError, match=r"'attnsvm\.data\.digits' has no attribute 'cells'"):
        ast_slice._taken("attnsvm.data.digits", "cells")
