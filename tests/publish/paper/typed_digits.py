"""Digits typed into the text: numbers are looked up, and what is left is a size by definition or has its reason.

Inside formulas the integers 0 to 4 stand as indices, exponents and constants of a definition, but not as what a letter
is equal or near to. Outside formulas no digit stands, unless paper/digits.yaml says which words have it, and why.
"""

import re

CODE = re.compile(
    r'^\s*#(?:import|let|set|show|include)\b.*|#[\w.-]+(?:\([^()"]*"[^"]*"[^()]*\)|\([^()]*\))?|@[\w:.-]+|<[\w:.-]+>'
    r"|`[^`]*`|https?://\S+",
    re.MULTILINE,
)
FORMULA = re.compile(r"\$[^$]*\$")
NUMBER = re.compile(r"\d[\d,.]*")
DEFINING = re.compile(r"[0-4]")
MEASURED = re.compile(r"(?:(?<![<>])=|approx|tilde)\s*-?(\d[\d,.]*)")
ALWAYS = ("0", "1")  # what a letter may be equal to by definition


def typed(text, allowed):
    """The numbers in a source without comments that are neither looked up nor among the words that are allowed."""
    for words in allowed:
        text = text.replace(words, re.sub(r"\d", "x", words))
    found = []
    for formula in FORMULA.findall(text):
        inside = CODE.sub("", formula)
        found += [number for number in NUMBER.findall(inside) if not DEFINING.fullmatch(number.rstrip(".,"))]
        found += [match[0] for match in MEASURED.finditer(inside) if match[1].rstrip(".,") not in ALWAYS]
    return found + NUMBER.findall(CODE.sub("", FORMULA.sub("", text)))
