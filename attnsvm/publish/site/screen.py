"""A figure's svg for the site: half as large, and light and dark in one file.

`<img src="x.svg">` shows it light, `<img src="x.svg#dark">` dark: the root is called "dark", and while the address
names it, other values stand behind the same variables. A browser fetches the file once for both.
"""

import base64
import io
import re

import numpy as np
from PIL import Image

from attnsvm.publish.site.colours import dark, darkened

BLACK = "#000000"
COLOUR = re.compile(r"#[0-9a-f]{6}\b")
NUMBER = re.compile(r"-?\d+\.\d+")
PICTURE = re.compile(r'(<image )([^>]*?xlink:href="data:image/png;base64,)([^"]*)("[^>]*>)')
DIGITS = 2  # of a coordinate in points, of which 72 are an inch


def for_screens(svg: str) -> str:
    """The same picture, with classes for styles and variables for colours; matplotlib's svg in, text of an svg out."""
    body = re.sub(r"<\?xml.*?\?>|<!DOCTYPE.*?>|<!--.*?-->", "", svg, flags=re.DOTALL)
    body = re.sub(r'<g id="[^"]*"', "<g", body)
    body = re.sub(r'\b(d|x|y|width|height|points)="([^"]*)"', _short, body)
    body = re.sub(r"translate\([^)]*\)", lambda found: _rounded(found[0]), body)
    styles: dict[str, str] = {}
    body = re.sub(r'\bstyle="([^"]*)"', lambda found: f'class="{_class(styles, found[1])}"', body)
    body = PICTURE.sub(_both, re.sub(r"\s*\n\s*", "\n", body).strip())
    return body.replace("<svg ", '<svg id="dark" ', 1).replace(">", f">\n<style>{_rules(styles)}</style>", 1) + "\n"


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
