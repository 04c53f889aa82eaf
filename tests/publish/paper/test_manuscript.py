"""The sources of the paper: what they ask for is there, once, and mentioned; a complaint names file and line."""

import pytest
import yaml
from small import BIBLIOGRAPHY, DECLARED, TEXT

from attnsvm.errors import UserError
from attnsvm.pipeline import cards
from attnsvm.pipeline.configuration import resolve
from attnsvm.pipeline.plan import Plan
from attnsvm.publish.paper import checks, declared, manuscript, numbers, parts, typed
from attnsvm.publish.paper.manuscript import Manuscript

ONE = {"value": 1.0, "source": "s"}
FOUND = {
    "scale": "paper",
    "numbers": dict.fromkeys(("cone.last", "cone.most", "settings.cone.problems.d", "audit.stays"), ONE),
    "claims": [{"key": "stays"}],
    "absent": ["pretrained"],
}


def check(text=TEXT, bibliography=BIBLIOGRAPHY, found=FOUND, given=DECLARED):
    checks.check(Manuscript({"paper/main.typ": text}, bibliography), declared.parsed(given), found)


def test_a_right_manuscript_passes():
    check()


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('#n("cone.most")', '#n("cone.mots")', r"paper/main.typ:5: there is no number 'cone.mots': did you mean"),
        ('#n("cone.most")', "many", r"paper/numbers.yaml:3: the number 'cone.most' is never used"),
        ('#verdict("stays")', '#verdict("stay")', r"paper/main.typ:6: there is no row of the audit 'stay': did"),
        ("In @fig:cone the", "The", r"paper/main.typ:8: the figure 'cone' is never mentioned"),
        ("@fig:cone", "@fig:cones", r"paper/main.typ:5: there is no label or entry of the bibliography 'fig:cones'"),
        ("A cone.]", 'A cone.]\n#fig("cone")[Again.]', r"paper/main.typ:8: the label 'fig:cone' is given twice"),
        ("= Sources <sources>", "= Sources <sec:audit>", r"paper/main.typ:11: the label 'sec:audit' is given twice"),
        ("@one2020", "somebody", r"paper/references.bib:1: the entry 'one2020' is never cited"),
        ("@one2020", "@two2020", r"paper/main.typ:6: there is no label or entry of the bibliography 'two2020'"),
    ],
)  # fmt: skip
def test_a_wrong_name_is_refused_with_its_place(old, new, sentence):
    assert old in TEXT
    with pytest.raises(UserError, match=f"^{sentence}"):
        check(TEXT.replace(old, new))


def test_each_row_that_a_claim_names_has_to_be_there():
    with pytest.raises(UserError, match=r"^paper/main.typ:6: there is no row of the audit 'stay'"):
        check(TEXT.replace('#claim("stays")', '#claim("stays", "stay")'))


def test_an_entry_that_stands_twice_is_refused():
    with pytest.raises(UserError, match=r"^paper/references.bib:1: the entry 'one2020' occurs twice"):
        check(bibliography=BIBLIOGRAPHY * 2)


def test_a_number_that_is_not_finite_is_refused_where_it_is_asked_for():
    numbers_ = FOUND["numbers"] | {"audit.stays": {"value": None, "source": "the audit, row stays"}}
    with pytest.raises(
        UserError, match=r"^paper/main.typ:6: the number 'audit.stays' is not finite: the audit, row stays"
    ):
        check(found=FOUND | {"numbers": numbers_})
    check(found=FOUND | {"numbers": numbers_, "scale": "smoke"})


def test_what_stands_in_a_comment_is_not_asked_for():
    check(TEXT + '\n// #n("unknown") @unknown <sec:first>\n')


def test_an_optional_figure_that_was_not_built_is_missing_without_complaint():
    check(TEXT + '\n#optional("pretrained")[#claim("pretrained_sink") #n("audit.pretrained_sink")]\n')


def whole():
    """What numbers.json says of every key that there can be: values aside, which a run gives."""
    plan = resolve({})
    keys = [claim.key for card in cards.claiming() for claim in card.claims]
    names = [*declared.read()]
    names += [f"audit.{key}{end}" for key in keys for end in ("", *(f".{name}" for name in numbers.OF_A_ROW))]
    rows = ("asked", "holds", "holds_in_part", "fails", "differs_from_print", "sharper", "sharper_hold", "sharpened")
    names += [f"{place}.{name}" for place in ("rows", "rows.paper") for name in rows[:5]]
    names += [f"rows.{name}" for name in rows[5:]]
    names += [
        f"certificates.{name}"
        for name in ("checked", "solved", "infeasible", "remote", "uncertified", "rational", "largest_gap")
    ]
    found = dict.fromkeys(names, ONE) | dict(numbers._settings(plan)) | dict(numbers._cost({"experiments": {}}))
    optional = [card.name for card in cards.figures(optional=True) if card.optional]
    return {"scale": "smoke", "numbers": found, "claims": [{"key": key} for key in keys], "absent": optional}


def test_the_manuscript_asks_for_what_there_is():
    checks.check(manuscript.read(), declared.read(), whole())


def test_the_manuscript_asks_for_the_rows_of_the_optional_figure_that_it_shows():
    keys = {claim.key for claim in cards.read("pretrained").claims}
    named = {one.name for one in manuscript.read().names["verdicts"] if one.name.startswith("pretrained_")}
    assert named
    assert named <= keys


def test_no_digit_of_the_manuscript_is_typed_without_a_reason():
    allowed = yaml.safe_load((manuscript.ROOT / "paper/digits.yaml").read_text("utf-8"))
    texts = manuscript.read().texts
    left = [f"{one.place}: {one.name}" for file, text in texts.items() for one in typed.typed(file, text, allowed)]
    assert not left, f"look these numbers up, or say in paper/digits.yaml why they may be typed: {left}"
    for words, why in allowed.items():
        assert any(words in text for text in texts.values()), f"paper/digits.yaml: {words!r} is not in the text"
        assert len(why) > 10


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("We saw 7 of them.", ["7"]),
        ("in .95 of them, or 95%", ["95", "95"]),
        ('It is #n("cone.last") and #claim("layers_2") in @fig:a2 <sec:2> `x2`.', []),
        ("$x_1 + 2 norm(W)^2 >= 1$ and $T = 1$", []),
        ("with $n = 6$ inputs", ["= 6", "6"]),
        ("with $n = 4$ inputs", ["= 4"]),
        ("$rho approx 0.25$", ["0.25", "approx 0.25"]),
        ("// 12 in a comment", []),
        ("#let width = 3\nfine", []),
        ("the condition H1 of 2", ["2"]),
    ],
)
def test_typed_digits_are_found(text, found):
    assert sorted(one.name for one in typed.typed("x.typ", text, {"H1": "a name"})) == sorted(found)


def test_a_typed_digit_has_its_line():
    (one,) = typed.typed("x.typ", "= A\n\n$x$\nand 12\n", {})
    assert str(one.place) == "x.typ:4"


def test_the_abstract_has_about_two_hundred_words():
    """As it is read: calls stand for one word each."""
    text = (manuscript.ROOT / "paper/sections/abstract.typ").read_text("utf-8").split("\n", 1)[1]
    assert 170 <= len(text.split()) <= 220


def test_the_paper_waits_for_the_figures_that_it_shows_or_reads():
    plan = Plan(resolve({}), {})
    built = parts.built(plan)
    assert set(manuscript.read().figures) - {"pretrained"} <= set(built)
    assert {one.figure for one in declared.read().values()} <= set(built)
    assert parts.tables(plan) == [
        f"figures/{name}.csv" for name in built if name in {one.figure for one in declared.read().values()}
    ]
    assert parts.audits(plan)[0] == "results/audit/claims.csv"


def test_a_figure_that_there_is_not_is_refused(monkeypatch):
    text = Manuscript({"paper/main.typ": '\n#fig("layer")[x]'}, "")
    monkeypatch.setattr(manuscript, "read", lambda: text)
    parts.figures.cache_clear()
    with pytest.raises(UserError, match=r"^paper/main.typ:2: there is no figure 'layer': did you mean 'layers'\?"):
        parts.figures()
    parts.figures.cache_clear()


def test_an_installed_package_has_no_paper(tmp_path):
    with pytest.raises(UserError, match=r"^paper/main.typ is missing: the paper is typeset in a clone"):
        manuscript.read(tmp_path)
