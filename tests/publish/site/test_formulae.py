"""Formulae: those of the documentation can be converted, and none is left as plain text."""

import re

import pytest
from harness import ROOT
from mathematics import formulae, without_formulae

from attnsvm.publish.site.conf import mathml
from attnsvm.system.errors import UserError

PAGES = sorted((ROOT / "docs").glob("*.md"))
EVERY = sorted({(page.name, tex) for page in PAGES for tex in formulae(page.read_text("utf-8"))})
PLAIN = re.compile(r"[\^⟨⟩‖∇Σ∞ᵀ¹²³⁰-₟\u0300-\u036f]|[Α-Ωα-ω]|\b\w_\w")
FRAGILE = re.compile(r"\\[,;:!|{}_]|\}_|\*")  # Markdown of some readers takes these for its own


def test_there_are_formulae_and_they_are_found():
    assert sum(name == "theory.md" for name, _ in EVERY) > 100
    assert formulae("a $x_1$ b\n\n$$\ny\n$$\n\n`$no$`\n\n```\n$no$\n```\n") == ["x_1", "y"]


@pytest.mark.parametrize("name", sorted({name for name, _ in EVERY}))
def test_every_formula_can_be_converted(name):
    for tex in (tex for page, tex in EVERY if page == name):
        found = mathml(tex)
        assert found.startswith("<math")
        assert "\\" not in found, tex
        assert not FRAGILE.search(tex), tex


def test_a_formula_that_cannot_be_converted_ends_with_a_sentence():
    with pytest.raises(UserError, match=r"formula .*Unknown LaTeX command .*: write it in other words of LaTeX"):
        mathml(r"\nosuchcommand x")


def test_no_formula_of_the_theory_is_left_as_plain_text():
    text = without_formulae((ROOT / "docs/theory.md").read_text("utf-8"))
    assert not [line for line in text.splitlines() if PLAIN.search(line)]
