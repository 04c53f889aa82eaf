"""Digits typed into the text: numbers are looked up, and what is left is a size by definition or has its reason.

Inside formulas the integers 0 to 4 stand as indices, exponents and constants of a definition, but not as what a letter
is equal or near to. Outside formulas no digit stands, unless paper/digits.yaml says which words have it, and why.
"""

import re
from collections.abc import Iterator, Mapping

from attnsvm.publish.paper.manuscript import Name, Place, without_comments

CODE = re.compile(
    r'^\s*#(?:import|let|set|show|include)\b.*|#[\w.-]+(?:\([^()"]*"[^"]*"[^()]*\)|\([^()]*\))?|@[\w:.-]+|<[\w:.-]+>'
    r"|`[^`]*`|https?://\S+"
)
FORMULA = re.compile(r"\$[^$]*\$", re.DOTALL)
NUMBER = re.compile(r"\d[\d,.]*")
DEFINING = re.compile(r"[0-4]")
MEASURED = re.compile(r"(?:(?<![<>])=|approx|tilde)\s*-?(\d[\d,.]*)")
ALWAYS = ("0", "1")  # what a letter may be equal to by definition


def typed(file: str, text: str, allowed: Mapping[str, str]) -> Iterator[Name]:
    """The numbers in a source that are neither looked up nor allowed, with their places.

    Args:
        allowed: {words that may stand: why}.
    """
    text = "\n".join(without_comments(text))
    for words in allowed:
        text = text.replace(words, re.sub(r"\d", "x", words))
    yield from (Name(found, Place(file, line)) for line, found in _in_formulas(text))
    outside = FORMULA.sub(lambda found: "\n" * found[0].count("\n"), text)
    for number, line in enumerate(outside.splitlines(), 1):
        yield from (Name(found[0], Place(file, number)) for found in NUMBER.finditer(CODE.sub("", line)))


def _in_formulas(text: str) -> Iterator[tuple[int, str]]:
    for formula in FORMULA.finditer(text):
        line = text[: formula.start()].count("\n") + 1
        inside = CODE.sub("", formula[0])
        yield from (
            (line, number[0]) for number in NUMBER.finditer(inside) if not DEFINING.fullmatch(number[0].rstrip(".,"))
        )
        for number in MEASURED.finditer(inside):
            if number[1].rstrip(".,") not in ALWAYS:
                yield line, number[0]
