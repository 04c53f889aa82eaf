"""The API's pages: every public name says what it is."""

import importlib
import inspect
import re

import pytest

from attnsvm.publish.site.pages import TEMPLATES

MODULES = re.findall(r"^   (attnsvm[\w.]*)$", (TEMPLATES / "api.rst").read_text("utf-8"), re.MULTILINE)


def public(module):
    """`__all__`, or the functions and classes that the module itself defines, without a leading underscore."""
    things = {
        name: value for name, value in vars(module).items() if inspect.isfunction(value) or inspect.isclass(value)
    }
    own = [name for name, value in things.items() if value.__module__ == module.__name__]
    return [name for name in getattr(module, "__all__", own) if not name.startswith("_")]


@pytest.mark.parametrize("name", MODULES)
def test_every_public_name_has_a_first_sentence(name):
    module = importlib.import_module(name)
    things = {name: module, **{member: getattr(module, member) for member in public(module)}}
    assert len(things) > 1
    silent = [called for called, thing in things.items() if not (inspect.getdoc(thing) or "").strip()]
    assert not silent, "these say nothing of themselves"
    assert inspect.getdoc(module).split("\n\n")[0].rstrip().endswith(".")
