"""The explorer: one page that trains attention in the plane while its reader drags the tokens.

The page is one file that needs no network: it holds style, programs and examples. The programs are plain JavaScript,
one file per idea, in the order of `PROGRAMS`; they share one scope.
"""

import json
from pathlib import Path

from attnsvm.publish.site.explorer.presets import presets

HERE = Path(__file__).parent
PROGRAMS = ("matrix", "descent", "svm", "selection", "run", "plane", "panel", "main")


def program(*names: str) -> str:
    """The JavaScript of the files called `names`, one after another."""
    return "\n".join((HERE / f"{name}.js").read_text("utf-8") for name in names)


def page(home: str = "") -> str:
    """The page as HTML; the same text every time.

    Args:
        home: the address of the first link; without an address there is no link.
    """
    parts = {
        "style": (HERE / "style.css").read_text("utf-8"),
        "presets": json.dumps(presets()).replace("</", "<\\/"),
        "program": program(*PROGRAMS),
        "home": f'<p class="home"><a href="{home}">attnsvm</a></p>' if home else "",
    }
    text = (HERE / "page.html").read_text("utf-8")
    for name, part in parts.items():
        text = text.replace("{{ " + name + " }}", part)
    return text
