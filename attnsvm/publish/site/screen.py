"""A figure's svg for the site: a third as large, and light and dark in one file.

`<img src="x.svg">` shows it light, `<img src="x.svg#dark">` dark: the root is called "dark", and while the address
names it, other values stand behind the same variables. A browser fetches the file once for both.
"""

import base64
import io
import re
from decimal import Decimal
from string import ascii_letters

import numpy as np
from PIL import Image

from attnsvm.publish.site.colours import dark, darkened

BLACK = "#000000"
COLOUR = re.compile(r"#[0-9a-f]{6}\b")
NUMBER = re.compile(r"-?\d+\.\d+")
STEP = re.compile(r"([A-Za-z])|(-?[\d.]+)")
COORDINATES = {"M": 2, "L": 2, "Q": 4, "C": 6}  # of one step of a path, for the steps that matplotlib draws with
LETTER = re.compile(r'\bd="([^"]*)" transform="scale\(0\.015625\)"')  # in 6400 units of its size
COARSER = 8  # units, which is less than DIGITS at the sizes of letters in figures
TEXT = re.compile(r"<g transform=[^>]* scale\([\d.]+ -[\d.]+\)\">(?:(?!</g>).)*</g>", re.DOTALL)
LETTER_AT = re.compile(r' x="([\d.]+)"(?: y="(-?[\d.]+)")?/>')  # of a letter in a text, in hundredths of its size
SPACE = re.compile(r'<path id="([^"]*)" transform="scale\(0\.015625\)"/>')  # a letter without a shape
CLIPPED = re.compile(r'<(path [^>]*?) (clip-path="[^"]*")([^>]*)/>')
SAME_CLIP = re.compile(r'(<g clip-path="[^"]*">)(?:(?!</?g).)*</g>(?:\1(?:(?!</?g).)*</g>)+', re.DOTALL)
ONE_CLIP = re.compile(r'<g (clip-path="[^"]*")><(path [^>]*)/></g>')
MARK = r'<use href="#{}" x="[^"]*" y="[^"]*" class="{}"/>'
MANY = re.compile(MARK.format('([^"]*)', r"(c\d+)") + "(?:" + MARK.format(r"\1", r"\2") + "){7,}")
MARKS = re.compile(r'<use [^>]* class="(c\d+)"/>(?:<use [^>]* class="\1"/>)+')
PICTURE = re.compile(r'(<image )([^>]*?xlink:href="data:image/png;base64,)([^"]*)("[^>]*>)')
DIGITS = 2  # of a coordinate in points, of which 72 are an inch


def for_screens(svg: str) -> str:
    """The same picture, with classes for styles and variables for colours; matplotlib's svg in, text of an svg out."""
    body = re.sub(r"<\?xml.*?\?>|<!DOCTYPE.*?>|<!--.*?-->", "", svg, flags=re.DOTALL)
    body = re.sub(r'<g id="[^"]*"', "<g", body)
    body = re.sub(r'\b(d|x|y|width|height|points)="([^"]*)"', _short, body)
    body = LETTER.sub(_coarser, _without_spaces(body))
    body = re.sub(r"translate\([^)]*\)", lambda found: _rounded(found[0]), body)
    body = re.sub(r'\bfill="(#[0-9a-f]{6})"', r'style="fill: \1"', body)  # of a hatch
    styles: dict[str, str] = {}
    body = re.sub(r'\bstyle="([^"]*)"', lambda found: f'class="{_class(styles, found[1])}"', body)
    body = PICTURE.sub(_both, re.sub(r"\s*\n\s*", "\n", body).strip())
    body = _without_bare_groups(body.replace("xlink:href=", "href="))
    body = re.sub(r'(<use [^>]*)transform="translate\(([^ )]*) ([^ )]*)\)"/>', r'\1x="\2" y="\3"/>', body)
    body = re.sub(r'\bd="([^"]*)"', lambda found: f'd="{_relative(found[1])}"', body.replace(' y="0"/>', "/>"))
    body = _with_few_clips(re.sub(r">\s+<", "><", body))
    body = MANY.sub(lambda found: _on_a_path(found, styles), body)
    body = MARKS.sub(lambda found: _together(found, styles), body)
    body = _with_short_names(body.replace(">", f">\n<style>{_rules(styles)}</style>", 1))
    return body.replace("<svg ", '<svg id="dark" ', 1) + "\n"


def size(svg: str) -> tuple[float, float]:
    """Width and height of an svg, in points."""
    found = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
    if found is None:
        raise ValueError("this svg has no viewBox from 0 0")
    return float(found[1]), float(found[2])


def _short(found: re.Match) -> str:
    return f'{found[1]}="{_rounded(" ".join(found[2].split()))}"'


def _rounded(text: str) -> str:
    return NUMBER.sub(lambda found: f"{float(found[0]):.{DIGITS}f}".rstrip("0").rstrip("."), text)


def _coarser(found: re.Match) -> str:
    shape = re.sub(r"-?[\d.]+", lambda number: str(round(float(number[0]) / COARSER)), found[1])
    return f'd="{shape}" transform="scale({COARSER / 64})"'


def _without_spaces(svg: str) -> str:
    """The same without the letters that draw nothing."""
    names = "|".join(map(re.escape, SPACE.findall(svg)))
    return re.sub(f'<use [^>]*href="#(?:{names})"[^>]*/>', "", SPACE.sub("", svg)) if names else svg


def _with_few_clips(svg: str) -> str:
    """The same with one group for neighbours that are cut off at the same edge."""
    svg = SAME_CLIP.sub(
        lambda found: found[1] + found[0].replace(found[1], "").replace("</g>", "") + "</g>",
        CLIPPED.sub(r"<g \2><\1\3/></g>", svg),
    )
    return ONE_CLIP.sub(r"<\2 \1/>", svg)


def _on_a_path(found: re.Match, styles: dict[str, str]) -> str:
    """Many marks of one shape and style as what is drawn at the corners of a path, which takes a third of the bytes."""
    shape, style = found.groups()
    corners = " L ".join(map(" ".join, re.findall(r'x="([^"]*)" y="([^"]*)"', found[0])))
    look = f"fill: none; marker: url(#{shape}{style})"
    marker = (
        f'<marker id="{shape}{style}" overflow="visible" markerUnits="userSpaceOnUse">'
        f'<use href="#{shape}" class="{style}"/></marker>'
    )
    return f'{marker * (look not in styles)}<path d="{_relative(f"M {corners}")}" class="{_class(styles, look)}"/>'


def _together(found: re.Match, styles: dict[str, str]) -> str:
    """Marks of the same style as one group, unless what lies below would shine through each of them."""
    style = next(style for style, name in styles.items() if name == found[1])
    if re.search(r"(?<!-)\bopacity", style):
        return found[0]
    return f'<g class="{found[1]}">' + found[0].replace(f' class="{found[1]}"', "") + "</g>"


def _relative(path: str) -> str:
    """A path whose steps begin where the last one ended, which takes fewer digits; exact, since decimals are added."""
    written, before, command, given = [], "", "", []
    at, start = (Decimal(0), Decimal(0)), (Decimal(0), Decimal(0))
    for letter, number in STEP.findall(path):
        if letter:
            command, given = letter, []
        else:
            given.append(Decimal(number))
        if command == "z":
            steps, at = ["z"], start
        elif len(given) == COORDINATES[command]:
            steps = [command.lower(), *(_plain(value - at[k % 2]) for k, value in enumerate(given))]
            steps = ["v", steps[2]] if steps[:2] == ["l", "0"] else steps
            steps = ["h", steps[1]] if steps[0] == "l" and steps[2] == "0" else steps
            at, given = (given[-2], given[-1]), []
            start = at if command == "M" else start
        else:
            continue
        written += steps[1:] if steps[0] == before and before != "z" else steps
        before = steps[0]
    return re.sub(r" (?=-|[a-z])|(?<=[a-z]) ", "", " ".join(written))


def _plain(number: Decimal) -> str:
    return f"{number.normalize():f}"


def _with_short_names(svg: str) -> str:
    """The same with a letter or two for every id: a letter of a text is a reference to its shape."""
    short = {name: _word(number) for number, name in enumerate(re.findall(r'\bid="([^"]*)"', svg))}
    svg = re.sub(r'(\bid="|href="#|url\(#)([^")]*)', lambda found: found[1] + short.get(found[2], found[2]), svg)
    return TEXT.sub(lambda text: LETTER_AT.sub(_whole, text[0]), svg)


def _whole(at: re.Match) -> str:
    x, y = (round(float(number or 0)) for number in at.groups())
    return f' x="{x}"' + (f' y="{y}"' if y else "") + "/>"


def _word(number: int) -> str:
    more, last = divmod(number, len(ascii_letters))
    return (_word(more - 1) if more else "") + ascii_letters[last]


def _without_bare_groups(svg: str) -> str:
    """The same without the groups that say nothing."""
    kept: list[bool] = []

    def tag(found: re.Match) -> str:
        if found[0].endswith("/>"):
            return ""
        if found[0] != "</g>":
            kept.append(found[0] != "<g>")
            return found[0] * kept[-1]
        return found[0] * kept.pop()

    return re.sub(r"</?g\b[^>]*>", tag, svg)


def _both(found: re.Match) -> str:
    """A picture of pixels, and the same picture for a dark page, of which one is shown."""
    before, attributes, content, after = found.groups()
    pixels = np.array(Image.open(io.BytesIO(base64.b64decode("".join(content.split())))).convert("RGBA"))
    pixels[..., :3] = darkened(pixels[..., :3])
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, format="png", optimize=True)
    other = base64.b64encode(file.getvalue()).decode("ascii")
    attributes = re.sub(r'\bid="[^"]*"', "", attributes)
    return (
        f'{before}style="display:var(--light)" {attributes}{content}{after}'
        f'{before}style="display:var(--dark)" {attributes}{other}{after}'
    )


def _class(styles: dict[str, str], style: str) -> str:
    return styles.setdefault(style, f"c{len(styles)}")


def _rules(styles: dict[str, str]) -> str:
    colours = list(dict.fromkeys([BLACK, *(colour for style in styles for colour in COLOUR.findall(style))]))
    names = {colour: f"--{colour[1:]}" for colour in colours}
    light = ";".join(f"{name}:{colour}" for colour, name in names.items())
    other = ";".join(f"{name}:{dark(colour)}" for colour, name in names.items())
    classes = (
        f".{name}{{{COLOUR.sub(lambda found: f'var({names[found[0]]})', style)}}}" for style, name in styles.items()
    )
    return "\n".join(
        [
            f"svg{{{light};--light:inline;--dark:none;fill:var({names[BLACK]})}}",
            f"svg:target{{{other};--light:none;--dark:inline}}",
            *classes,
        ]
    )
