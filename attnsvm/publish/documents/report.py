"""The pages inside the report: each figure with its caption and its claims, and the audit with its pictures.

The report is one file, so each page carries its pictures with it and links to nothing beside it.
"""

import base64
import csv
import re
from collections import Counter
from importlib.resources import files
from pathlib import Path

import jinja2
import markupsafe

from attnsvm.pipeline import cards
from attnsvm.publish.documents.pictures import small
from attnsvm.store import save_text

AUDIT, FIRST = "audit", "1 The audit"  # the page, and the heading under which it stands
LINK = re.compile(r'href="\.\./\.\./figures/(\w+)\.png"')
END = "</body>"


def write(
    pictures: dict[str, str], texts: dict[str, dict[str, str]], claims: str, audit: str, outputs: dict[str, str]
) -> None:
    """Write a page per figure, and the audit's.

    Args:
        pictures: path of the png of each figure, and of the audit's.
        texts: {figure: {"title", "caption"}}.
        claims: path of the table of claims, csv.
        audit: path of the audit's page.
        outputs: path of each page to write, by figure, and under "audit".
    """
    rows = read_claims(Path(claims))
    for name, text in texts.items():
        own = [row for row in rows if row["figure"] == name]
        save_text(outputs[name], figure_page(name, text["title"], text["caption"], Path(pictures[name]), own))
    shown = {name: Path(path) for name, path in pictures.items()}
    save_text(outputs[AUDIT], audit_page(Path(audit).read_text("utf-8"), shown, texts))


def heading(card: cards.Card) -> str:
    """Under which heading of the report a figure stands; the audit is the first."""
    return f"{list(cards.SECTIONS).index(card.section) + 2} {cards.SECTIONS[card.section]}"


def figure_page(name: str, title: str, caption: str, picture: Path, claims: list[dict]) -> str:
    """A picture, its caption under it, and the verdicts of the claims that look at it."""
    return _render(
        "figure.html.j2", name=name, title=title, caption=caption, claims=claims, picture=_uri(picture.read_bytes())
    )


def audit_page(page: str, pictures: dict[str, Path], texts: dict[str, dict[str, str]]) -> str:
    """The audit's page with its picture above the rows; at its end, small, every picture that the rows link to."""
    linked = [name for name in dict.fromkeys(LINK.findall(page)) if name in texts]
    page = LINK.sub(lambda found: f'href="#figure-{found[1]}"', page)
    shown = [{"name": name, "uri": _uri(small(pictures[name])), **texts[name]} for name in linked]
    overview = _render("audit_overview.html.j2", picture=_uri(small(pictures[AUDIT])))
    page = page.replace("<h2", overview + "<h2", 1)
    return page.replace(END, _render("audit_pictures.html.j2", figures=shown) + END)


def read_claims(path: Path) -> list[dict]:
    """The rows of the table of claims; none where there is no table."""
    if not path.exists():
        return []
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def summary(path: Path) -> dict:
    """What the report's first page says of the claims: {"verdicts": {verdict: count}, "claims": rows}."""
    rows = read_claims(path)
    return {"verdicts": dict(Counter(row["verdict"] for row in rows)), "claims": rows}


def _uri(png: bytes) -> str:
    return "data:image/png;base64," + base64.b64encode(png).decode("ascii")


def _render(template: str, **values) -> str:
    environment = jinja2.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    environment.filters["code"] = _code
    text = files("attnsvm.publish.documents").joinpath("templates", template).read_text("utf-8")
    return environment.from_string(text).render(values)


def _code(text: str) -> markupsafe.Markup:
    """What stands in backticks as code."""
    return markupsafe.Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(markupsafe.escape(text))))
