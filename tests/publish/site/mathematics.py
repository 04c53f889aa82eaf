"""The formulae of a page of Markdown."""

import re

CODE = re.compile(r"^```.*?^```$|`[^`]+`", re.DOTALL | re.MULTILINE)
FORMULA = re.compile(r"\$\$(.+?)\$\$|\$([^$\n]+)\$", re.DOTALL)


def without_code(text):
    return CODE.sub("", text)


def formulae(text):
    """Between dollar signs, one or two, in their order."""
    return [(alone or inline).strip() for alone, inline in FORMULA.findall(without_code(text))]


def without_formulae(text):
    return FORMULA.sub("", without_code(text))
