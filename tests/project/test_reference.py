"""docs/api.md: every public name is listed, and every one says what it is."""

import importlib

import pytest
from harness import ROOT

from attnsvm.documents import api

MODULES = {module["name"]: module for module in api.reference()}


@pytest.mark.parametrize("name", api.MODULES)
def test_every_public_name_has_a_first_sentence(name):
    module = MODULES[name]
    assert module["text"].endswith("."), name
    assert module["members"]
    silent = [member["call"] for member in module["members"] if not member["text"]]
    assert not silent, "these say nothing of themselves"


@pytest.mark.parametrize("name", ["attnsvm.svm", "attnsvm.training", "attnsvm.audit"])
def test_what_a_package_exports_is_listed(name):
    listed = {member["call"].partition("(")[0] for member in MODULES[name]["members"]}
    assert listed == set(importlib.import_module(name).__all__)


def test_the_page_is_linked_to_and_has_what_was_found():
    page = (ROOT / "docs/api.md").read_text()
    assert "docs/api.md" in (ROOT / "README.md").read_text()
    for name, module in MODULES.items():
        assert f"## `{name}`" in page
        assert all(f"| `{member['call']}` |" in page for member in module["members"])


def test_arguments_are_named_as_they_are_given():
    def function(a, b=1, *, c=2, **rest):
        """Do this. And that."""

    assert api._call("function", function) == "function(a, b, *, c, **rest)"
    assert api.first_sentence(function) == "Do this."
