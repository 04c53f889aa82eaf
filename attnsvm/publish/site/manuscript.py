"""The manuscript as a page of the site: what Typst wrote, with the menus and the colours of the other pages."""

import html
import re
from collections.abc import Callable

HEADING = re.compile(r'<h2(?: id="([^"]*)")?>(.*?)</h2>', re.DOTALL)
PICTURE = re.compile(r'<img src="figures/(\w+)\.svg" alt="([^"]*)"[^>]*>')
STYLE = re.compile(r"<style>.*?</style>", re.DOTALL)
HOME = '<a href="index.html">the site</a> · '
MEANING = re.compile(r"([\\`*_$\[\]<>|~#])")  # what Markdown would not take literally


def page(written: str, picture: Callable[[str, str], str]) -> str:
    """The page as MyST.

    Args:
        written: the manuscript as a page of its own.
        picture: the html of a figure, given its name and its alternative text.
    """
    head, _, body = written.partition("<body>")
    title = re.search(r"<title>(.*?)</title>", head, re.DOTALL)
    body = STYLE.sub("", body.rpartition("</body>")[0]).replace(HOME, "")
    body = re.sub(r"<h1>.*?</h1>|</?section\b[^>]*>", "", body, flags=re.DOTALL)  # it is cut at the headings
    body = PICTURE.sub(lambda found: picture(found[1], html.unescape(found[2])), body)
    first, *rest = HEADING.split(body)
    formulae = "".join(STYLE.findall(head))  # how Typst's MathML is laid out
    parts = [f"# {_literal(title[1] if title else 'Manuscript')}", _raw(formulae + first)]
    for name, heading, text in zip(rest[::3], rest[1::3], rest[2::3], strict=True):
        parts += [f"## {_literal(heading)}", _raw(f'<span id="{name}"></span>' * bool(name) + text)]
    return "\n\n".join(parts) + "\n"


def _literal(heading: str) -> str:
    return MEANING.sub(r"\\\1", html.unescape(re.sub(r"<[^>]+>", "", heading)))


def _raw(text: str) -> str:
    fence = "`" * 7
    return f'{fence}{{raw}} html\n<div class="manuscript">{text}</div>\n{fence}'
