"""Pages out of sources: the same bytes every time, words that follow the audit, sentences for what is wrong."""

import json
import re
import sys

import pytest
import yaml
from small import SMOKE, TEXT

from attnsvm.pipeline import cards
from attnsvm.publish.paper import manuscript, typesetting
from attnsvm.publish.paper.typesetting import typeset
from attnsvm.system.errors import UserError


@pytest.fixture
def made(tmp_path, clone):
    """A function that typesets the small manuscript with what numbers.json says; bytes of the PDF, text of the page."""

    def make(found):
        (tmp_path / "numbers.json").write_text(json.dumps(found))
        pictures = {"cone": str(tmp_path / "run/figures/cone.svg")}
        pdf, html = tmp_path / "out/x.pdf", tmp_path / "out/x.html"
        typeset(str(tmp_path / "numbers.json"), pictures, str(pdf), str(html), clone)
        return pdf.read_bytes(), html.read_text("utf-8")

    return make


def words(html):
    return " ".join(re.sub(r"<style>.*?</style>|<[^>]*>", " ", html, flags=re.DOTALL).split())


def test_both_are_made_with_the_same_bytes_every_time(collected, made):
    found = collected()
    first, second = made(found), made(found)
    assert first == second
    assert first[0].startswith(b"%PDF-")


def test_a_number_links_to_its_figure_and_to_its_row(collected, made):
    _, html = made(collected())
    assert '<a href="gallery/cone.html">0.123</a>' in html
    assert 'href="audit.html#stays"' in html
    assert 'src="figures/cone.svg"' in html
    assert "Figure 1: A cone." in words(html)


def test_a_changed_table_changes_the_sentence(collected, made, tmp_path):
    """A claim has the mark of its row, and its verdict stands in the sentence where it does not hold."""
    before = words(made(collected())[1])
    (tmp_path / "run").rename(tmp_path / "first")
    after = words(made(collected(row={"verdict": "fails", "value": 0.25}))[1])
    assert "It holds , says" in before
    assert "It fails , says" in after
    assert "0.25" in after
    assert "0.25" not in before
    assert re.search(r"does A1 \.", before)
    assert re.search(r"does \( fails \) A1 \.", after)


def test_a_cited_row_is_printed_with_all_that_decides_it(collected, made):
    page = words(made(collected(row={"further": "no: the control does not", "also": "control ≤ 1: nothing"}))[1])
    for said in ("share: 0.9 [0.8, 0.95]", "Wanted: ≥ 0.5, since: half; control ≤ 1: nothing", "it does (met)"):
        assert said in page
    assert re.search(r"Further: the control does not \( ?not met ?\)", page)


def test_a_row_that_the_text_does_not_cite_is_not_printed(collected, made, clone):
    text = TEXT.replace(' #verdict("stays")', " so").replace(' #claim("stays")', "").replace('#n("audit.stays")', "so")
    assert text.count("stays") == 0
    (clone / "paper/main.typ").write_text(text)
    assert "It stays in" not in words(made(collected())[1])


HEADED = """<svg width="90pt" height="30.5pt" viewBox="0 0 90 30.5">
 <g id="subfigure_1">
  <g id="patch_2">
   <path d="M 0 10.5
L 90 10.5"/>
 </g>
 </g>
 <g id="subfigure_2"/>
</svg>"""


def test_a_picture_is_shown_without_its_headline():
    seen = typesetting.without_headline(HEADED)
    assert 'width="90pt" height="20pt" viewBox="0 10.5 90 20"' in seen
    assert '<g id="subfigure_1" visibility="hidden">' in seen
    assert typesetting.without_headline(seen) == seen
    bare = HEADED.replace('"subfigure_1"', '"axes_1"')
    assert typesetting.without_headline(bare) == bare


def test_smoke_numbers_are_marked_on_screen_and_on_paper(collected, made, tmp_path):
    pdf, html = made(collected())
    (tmp_path / "run").rename(tmp_path / "first")
    marked, page = made(collected(SMOKE))
    assert "numbers of a smoke run" in words(page)
    assert "numbers of a smoke run" not in words(html)
    assert marked != pdf


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("An abstract.", "#nothing", r"^paper/main.typ:2: unknown variable: nothing$"),
        (
            "= First",
            '#set text(font: "Nowhere Sans")\n= First',
            r"^paper/main.typ:4: unknown font family: nowhere sans$",
        ),
        ("= First", '#image("nowhere.svg")\n= First', r"^paper/main.typ:4: file not found"),
        ('#n("cone.most")', '#n("cone.mots")', r'^paper/main.typ:5: there is no number "cone.mots"$'),
        ('#verdict("stays")', '#verdict("stay")', r'^paper/main.typ:6: there is no row of the audit "stay"$'),
        ("@fig:cone", "@fig:cones", r"^paper/main.typ:5: label `<fig:cones>` does not exist"),
        ("@one2020", "@two2020", r"^paper/main.typ:6: label `<two2020>` does not exist"),
        ("A cone.]", 'A cone.]\n#fig("cone")[Again.]', r"^paper/main.typ:\d: label `<fig:cone>` occurs multiple times"),
    ],
)
def test_what_is_no_typst_is_named_with_its_line(collected, made, clone, old, new, sentence):
    (clone / "paper/main.typ").write_text(TEXT.replace(old, new))
    with pytest.raises(UserError, match=sentence):
        made(collected())


def test_a_missing_picture_is_named(collected, made, tmp_path):
    found = collected()
    (tmp_path / "run/figures/cone.svg").unlink()
    with pytest.raises(UserError, match=r"run/figures/cone.svg: missing; run snakemake to build it$"):
        made(found)


def test_without_typst_it_says_what_to_install(collected, made, monkeypatch):
    monkeypatch.setitem(sys.modules, "typst", None)
    with pytest.raises(UserError, match=r"^typst is not installed: pip install '.*\[publish\]'$"):
        made(collected())


PARAGRAPH = "attnsvm/experiments/own/cone/paragraph.typ"


def test_a_paragraph_of_an_experiment_stands_in_the_paper(collected, made, clone):
    """That of the page: it says what the claim says, with its verdict, number and figure."""
    page = (manuscript.ROOT / "docs/paper_of_your_own.md").read_text("utf-8")
    text = page.partition("```typst\n")[2].partition("```")[0]
    assert len(text.splitlines()) == 4
    for name in ("audit.my_conjecture", 'stated("my_conjecture'):
        text = text.replace(name, name.replace("my_conjecture", "stays"))
    (clone / PARAGRAPH).parent.mkdir(parents=True)
    (clone / PARAGRAPH).write_text(text.replace("my_conjecture", "cone"))
    shown = '#fig("cone")[A cone.]'
    assert shown in TEXT
    (clone / "paper/main.typ").write_text(TEXT.replace(shown, '#include "/paper/contributed.typ"'))
    assert PARAGRAPH in manuscript.sources(clone)
    page = words(made(collected())[1])
    title = cards.read("cone").title
    assert "It stays in W . ( holds )" in page, "the words of the claim"
    assert "The measured value is 0.90" in page
    assert f"Figure 1: {title[0].upper()}{title[1:]}. Runs started" in page


NAMES = [
    ({"given-names": "Ada", "family-names": "Lovelace"}, "Ada Lovelace"),
    ({"given-names": "Ludwig", "name-particle": "van", "family-names": "Beethoven"}, "Ludwig van Beethoven"),
    ({"given-names": "Sammy", "family-names": "Davis", "name-suffix": "Jr."}, "Sammy Davis Jr."),
    ({"family-names": "Suharto"}, "Suharto"),
    ({"given-names": "Plato"}, "Plato"),
    ({"alias": "xkcd"}, "xkcd"),
    ({"name": "The attnsvm developers", "website": "https://example.org"}, "The attnsvm developers"),
]


@pytest.mark.parametrize(("author", "name"), NAMES)
def test_an_author_is_called_as_citation_cff_says(author, name):
    assert typesetting.author_name(author) == name


@pytest.mark.parametrize(
    ("author", "sentence"),
    [
        ("{family-names: Null}", "family-names: expected a text, got None; put it in quotes"),
        ("{given-names: No, family-names: A}", "given-names: expected a text, got False; put it in quotes"),
        ("{affiliation: A}", "an author has no name: give family-names, name or alias"),
    ],
)
def test_a_name_that_is_none_is_a_sentence(author, sentence):
    with pytest.raises(UserError, match=f"^CITATION.cff: {sentence}$"):
        typesetting.author_name(yaml.safe_load(author))


def test_an_address_that_nobody_has_set_is_left_out(clone):
    for address, said in (("https://example.org/x", "https://example.org/x"), ("https://github.com/OWNER/attnsvm", "")):
        (clone / "CITATION.cff").write_text(f"authors: [{{name: A}}]\nversion: 1.0.0\nrepository-code: {address}\n")
        assert typesetting.about(clone)["address"] == said


def test_a_wrong_name_in_a_paragraph_is_refused_with_its_place(collected, made, clone):
    (clone / PARAGRAPH).parent.mkdir(parents=True)
    (clone / PARAGRAPH).write_text('#import "/paper/style.typ": *\n#titled("kone")\n')
    (clone / "paper/main.typ").write_text(TEXT + '\n#include "/paper/contributed.typ"\n')
    with pytest.raises(UserError, match=f'^{PARAGRAPH}:2: there is no figure "kone"$'):
        made(collected())


def test_a_number_that_is_not_finite_is_refused_where_it_is_asked_for(collected, made):
    found = collected()
    found["numbers"]["audit.stays"]["value"] = None
    with pytest.raises(UserError, match=r'^paper/main.typ:6: the number "audit.stays" is not finite$'):
        made(found)


def test_an_optional_figure_that_was_not_built_is_missing_without_complaint(collected, made, clone):
    text = '\n#optional("pretrained")[never] #claim("pretrained_sink") #n("audit.pretrained_sink.threshold")\n'
    (clone / "paper/main.typ").write_text(TEXT + text)
    page = words(made(collected())[1])
    assert "not tested" in page
    assert "never" not in page
