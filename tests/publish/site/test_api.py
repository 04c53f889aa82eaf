"""The API's pages: every public name is listed, and every one says what it is."""

import importlib
import inspect

import pytest

from attnsvm.publish.site import api


@pytest.mark.parametrize("name", api.MODULES)
def test_every_public_name_has_a_first_sentence(name):
    module = importlib.import_module(name)
    things = {name: module, **{member: getattr(module, member) for member in api.public(module)}}
    assert len(things) > 1
    silent = [called for called, thing in things.items() if not (inspect.getdoc(thing) or "").strip()]
    assert not silent, "these say nothing of themselves"
    assert inspect.getdoc(module).split("\n\n")[0].rstrip().endswith(".")


@pytest.mark.parametrize("name", ["attnsvm.svm", "attnsvm.training", "attnsvm.audit"])
def test_what_a_package_exports_is_listed(name):
    module = importlib.import_module(name)
    listed = set(api.public(module))
    assert listed == set(module.__all__)
    assert all(f".{member}" in api.module_page(name) for member in listed)
