"""Captions: the cards' templates filled with the settings of the run, remembered by both."""

import re
from pathlib import Path

import jinja2

from attnsvm.pipeline import cards
from attnsvm.pipeline.hashes.cache import recall
from attnsvm.system.errors import UserError

FILLED_BY = Path(__file__).read_bytes()


def caption(card: cards.Card, resolved: dict) -> str:
    """The caption of a figure, with the sizes of this configuration."""
    return _filled(card, card.caption, resolved, "caption")


def notes(card: cards.Card, resolved: dict) -> str:
    """What stands below the caption, where there is room; the manuscript has none."""
    return _filled(card, card.notes, resolved, "notes")


def prose(text: str) -> str:
    """A text of Markdown in which < is a letter: outside of code and formulae a browser takes it for a tag."""
    return re.sub(
        r"(`+)(?:.*?)\1|\$[^$]*\$|<", lambda found: "&lt;" if found[0] == "<" else found[0], text, flags=re.DOTALL
    )


def listed(values: list) -> str:
    """A list in words: "4, 6 and 8"; of pairs: "(3, 3) and (5, 5)"."""
    words = [f"({', '.join(map(str, value))})" if isinstance(value, list) else f"{value:,}" for value in values]
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _filled(card: cards.Card, template: str, resolved: dict, what: str) -> str:
    """Over what the card fixes and the settings of its experiment by stage, or over its experiments by name."""
    values = resolved["experiments"]
    known = card.fixed | values.get(card.name, {}) | {name: values[name] for name in card.draws}
    given = template.encode(), repr(known).encode()
    return recall((FILLED_BY, *given), lambda: _rendered(card, template, known, what))


def _rendered(card: cards.Card, template: str, known: dict, what: str) -> str:
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, finalize=_with_commas)
    environment.filters["listed"] = listed
    try:
        return environment.from_string(template).render(known).strip()
    except jinja2.TemplateError as error:
        raise UserError(f"{cards.place(card.name)}/card.yaml: {what}: {error}") from error


def _with_commas(value):
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else value
