"""The sources of the paper: what there is is used, and no number is typed where it could be looked up."""

import re
from collections import Counter

import pytest
import yaml
from small import whole
from typed_digits import typed

from attnsvm.pipeline import cards
from attnsvm.pipeline.configuration import resolve
from attnsvm.pipeline.plan import Plan
from attnsvm.publish.paper import declared, manuscript, parts
from attnsvm.system.errors import UserError

TEXT = "\n".join(manuscript.texts().values())


def test_the_manuscript_asks_for_what_there_is():
    found = whole()
    assert {*manuscript.named("numbers")} <= {*found["numbers"]}
    assert {*manuscript.named("verdicts")} <= {row["key"] for row in found["claims"]}


def test_all_that_is_declared_shown_or_listed_is_used():
    assert {*declared.read()} <= {*manuscript.named("numbers")}, "asked for, or deleted from paper/numbers.yaml"
    mentioned = set(re.findall(r"@([\w:.-]*\w)", TEXT))
    assert {f"fig:{name}" for name in manuscript.named("figures")} <= mentioned
    entries = re.findall(
        r"^@\w+\{\s*([^,\s]+)\s*,", (manuscript.ROOT / manuscript.REFERENCES).read_text(), re.MULTILINE
    )
    assert {*entries} <= mentioned
    labels = [
        *re.findall(r"<([\w:.-]+)>", TEXT),
        *(f"fig:{name}" for name in manuscript.CALLS["figures"].findall(TEXT)),
    ]
    for names in (entries, labels):
        assert not [name for name, count in Counter(names).items() if count > 1]


def test_what_stands_in_a_comment_is_not_asked_for(clone):
    (clone / "paper/main.typ").write_text(
        '// #fig("layers")\nsee https://example.org #fig("cone")[x] // #fig("adam")\n'
    )
    assert manuscript.named("figures", clone) == ["cone"]


def test_the_manuscript_asks_for_the_rows_of_the_optional_figure_that_it_shows():
    keys = {claim.key for claim in cards.read("pretrained").claims}
    named = {name for name in manuscript.named("verdicts") if name.startswith("pretrained_")}
    assert named
    assert named <= keys


def test_no_digit_of_the_manuscript_is_typed_without_a_reason():
    allowed = yaml.safe_load((manuscript.ROOT / "paper/digits.yaml").read_text("utf-8"))
    left = {file: found for file, text in manuscript.texts().items() if (found := typed(text, allowed))}
    assert not left, "look these numbers up, or say in paper/digits.yaml why they may be typed"
    for words, why in allowed.items():
        assert words in TEXT, f"paper/digits.yaml: {words!r} is not in the text"
        assert len(why) > 10


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("We saw 7 of them.", ["7"]),
        ("in .95 of them, or 95%", ["95", "95"]),
        ('It is #n("cone.last") and #claim("layers_2") in @fig:a2 <sec:2> `x2`.', []),
        ("$x_1 + 2 norm(W)^2 >= 1$ and $T = 1$", []),
        ("with $n = 6$ inputs", ["= 6", "6"]),
        ("$rho approx 0.25$", ["0.25", "approx 0.25"]),
        ("the condition H1 of 2", ["2"]),
    ],
)
def test_typed_digits_are_found(text, found):
    assert sorted(typed(text, {"H1": "a name"})) == sorted(found)


def test_the_paper_waits_for_the_figures_that_it_shows_or_reads():
    plan = Plan(resolve({}), {})
    built, read = parts.built(plan), {one.figure for one in declared.read().values()}
    assert {*manuscript.named("figures")} - {"pretrained"} <= set(built)
    assert read <= set(built)
    assert parts.tables(plan) == [f"figures/{name}.csv" for name in built if name in read]
    assert parts.audits(plan)[0] == "results/audit/claims.csv"


def test_a_figure_that_there_is_not_is_refused(monkeypatch):
    monkeypatch.setattr(manuscript, "named", lambda kind: ["layer"])
    parts.figures.cache_clear()
    with pytest.raises(
        UserError, match=r"the paper shows 'layer', and there is no such figure: did you mean 'layers'\?"
    ):
        parts.figures()
    parts.figures.cache_clear()


def test_an_installed_package_has_no_paper(tmp_path):
    with pytest.raises(UserError, match=r"^paper/main.typ is missing: the paper is typeset in a clone"):
        manuscript.texts(tmp_path)
