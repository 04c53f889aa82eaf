"""Captions and notes: sizes come from the settings, and a wrong template is named."""

from dataclasses import replace

import pytest

from attnsvm.pipeline import captions, cards
from attnsvm.pipeline.captions import caption, listed, notes
from attnsvm.pipeline.configuration import resolve
from attnsvm.system.errors import UserError

FIGURES = cards.figures(optional=True)
LONGEST = 90  # words of a caption; the rest is notes


@pytest.mark.parametrize("scale", ["paper", "smoke"])
@pytest.mark.parametrize("card", FIGURES, ids=lambda card: card.name)
def test_every_caption_and_every_note_renders_at_every_scale(card, scale):
    resolved = resolve({"scale": scale})
    for text in (caption(card, resolved), notes(card, resolved)):
        assert "{{" not in text
        assert "None" not in text
        assert "[" not in text.replace("[0, 1]", ""), "a list as Python writes it"
    assert caption(card, resolved).endswith(".")
    own = caption(card, resolved).removeprefix(f"The figure {card.parent} on unseen seeds, from 100,000 on. ")
    assert len(own.split()) <= LONGEST


@pytest.mark.parametrize("card", FIGURES, ids=lambda card: card.name)
def test_a_caption_follows_the_number_of_instances(card):
    """Another size in the configuration is another size in the caption: none of them is typed."""
    resolved, changed = resolve({}), resolve({})
    keys = [("problems", "instances"), ("problems", "seeds"), ("measures", "accepted")]
    sections = {name: resolved["experiments"][name] for name in card.draws}
    said = [(name, *key) for name, own in sections.items() for key in keys if key[1] in own.get(key[0], {})]
    if not said:
        pytest.skip("one instance, by its seed")
    for name, stage, key in said:
        changed["experiments"][name][stage][key] = 123_456
    assert "123,456" in caption(card, changed) + notes(card, changed)
    assert "123,456" not in caption(card, resolved)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([4], "4"),
        ([4, 6], "4 and 6"),
        ([4, 6, 8], "4, 6 and 8"),
        ([1000, 20000], "1,000 and 20,000"),
        ([[3, 3], [5, 5]], "(3, 3) and (5, 5)"),
        ([0.1, 0.5], "0.1 and 0.5"),
    ],
)
def test_a_list_in_words(values, words):
    assert listed(values) == words


CARD = cards.read("svm_rank")


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("{{ problems.instances }} instances", "1,000 instances"),
        ("d = {{ problems.d | listed }}", "d = 2 and 3"),
        ("{{ svm_rank.problems.instances }}", "1,000"),
        ("{{ problems.share }}", "0.5"),
        ("  plain  ", "plain"),
    ],
)
def test_a_template_is_filled(template, text):
    resolved = {"experiments": {"svm_rank": {"problems": {"instances": 1000, "d": [2, 3], "share": 0.5}}}}
    assert caption(replace(CARD, caption=template), resolved) == text


@pytest.mark.parametrize("template", ["{{ problems.instance }}", "{{ problem.instances }}", "{{ unclosed", "{% if %}"])
def test_a_wrong_template_is_named_with_its_card(template):
    with pytest.raises(UserError, match=r"^attnsvm/experiments/paper/svm_rank/card\.yaml: (caption|notes): "):
        caption(replace(CARD, caption=template), resolve({}))
    with pytest.raises(UserError, match=r"^attnsvm/experiments/paper/svm_rank/card\.yaml: notes: "):
        notes(replace(CARD, notes=template), resolve({}))


def test_a_less_than_sign_is_a_letter_outside_of_code_and_formulae():
    given = "for T<d and <b>x</b>, `a<b`, ``c`<d``, $x<y$"
    assert captions.prose(given) == "for T&lt;d and &lt;b>x&lt;/b>, `a<b`, ``c`<d``, $x<y$"
