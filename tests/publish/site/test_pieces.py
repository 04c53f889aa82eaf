"""What the site is put together from: sentences, and links to the gallery."""

import sys

import pytest

from attnsvm.publish.site import build, pages
from attnsvm.system.errors import UserError


@pytest.mark.parametrize(
    ("text", "first"),
    [
        (
            "One instance (n = 2, seed 1.5), followed\nas `W(k) z_i`. Two.",
            "One instance (n = 2, seed 1.5), followed as W(k) z_i.",
        ),
        ("Shares, with 95 % intervals. (a) Left.", "Shares, with 95 % intervals."),
    ],
)
def test_the_first_sentence(text, first):
    assert pages.first_sentence(text) == first


def test_a_tag_in_a_card_is_text():
    """Another one would end the page that shows the card."""
    text = "values <script>alert(1)</script> below `a < b` and $x <y$, ``a`<b`` and 1 < 2"
    assert pages.prose(text) == (
        "values &lt;script>alert(1)&lt;/script> below `a < b` and $x <y$, ``a`<b`` and 1 &lt; 2"
    )
    assert pages.prose("a > b") == "a > b"


def test_a_claim_without_the_marks_of_mathematics():
    assert pages.plain(r"separable from $d = \max(T-1, n)$ on") == "separable from d = max(T−1, n) on"
    assert pages.plain(r"its own $\ell_p$") == "its own ℓp"


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("a head that turns", "A head that turns."),
        ("is it so?", "Is it so?"),
        ("v trained together with W", "v trained together with W."),
        ("`W` alone", "`W` alone."),
    ],
)
def test_a_title_as_a_sentence(title, expected):
    assert pages.sentence(title) == expected


def test_without_sphinx_one_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "sphinx", None)
    with pytest.raises(UserError, match=r"^sphinx is not installed: pip install '.*\[publish\]'$"):
        build.site(".", {}, {}, "out")


def test_a_link_to_a_figure_of_the_gallery_leads_to_its_page():
    text = "[a](figures/README.md#cone) [b](../figures/README.md#adam) [c](figures/README.md#the-audit)"
    expected = "[a](gallery/cone.md) [b](../gallery/adam.md) [c](figures/README.md#the-audit)"
    assert build.IN_GALLERY.sub(build.PAGE_OF_FIGURE, text) == expected


def test_without_a_page_that_a_link_asks_for_there_is_no_site(tmp_path):
    (tmp_path / "source").mkdir()
    (tmp_path / "source/index.md").write_text("# Title\n\n[a](docs/no.md)\n")
    with pytest.raises(UserError, match=r"^the site: index\.md:3: .*'docs/no\.md'"):
        build._sphinx(tmp_path / "source", tmp_path / "made", tmp_path / "doctrees")
