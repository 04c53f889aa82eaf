"""Links of the repository's pages, made to work inside the site.

A page has the same place in the site as in the repository, so links between pages do not change. A link to another file
or folder leads to a page that shows it. The small pictures of the gallery become the figures.
"""

import posixpath
import re
from collections.abc import Callable, Collection
from pathlib import Path

from attnsvm.errors import require
from attnsvm.pipeline import cards

LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")
ELSEWHERE = re.compile(r"[a-z]+:|#")
GALLERY = "figures/gallery/"


class Links:
    """Where the links of pages lead, and which files and folders must be shown.

    Attributes:
        shown: the files and folders that some page leads to, relative to the repository.
    """

    def __init__(
        self,
        root: Path,
        pages: set[str],
        picture: Callable[[str, str, str], str],
        optional: Collection[str] = (),
    ):
        """
        Args:
            root: the repository.
            pages: the pages of the site that may be named as they are, such as "docs/svm.md".
            picture: the html of a figure, given its name, its alternative text and the page it is on.
            optional: figures that a run leaves out; the site has their picture from the gallery, and the experiment.
        """
        self.root, self.pages, self.picture, self.optional = root, pages, picture, optional
        self.shown: set[str] = set()

    def rewritten(self, page: str, text: str) -> str:
        """The Markdown of `page` with links that work in the site; code stays as it is.

        Raises:
            UserError: a link leads nowhere.
        """
        parts = re.split(r"(^```.*?^```$|`[^`\n]+`)", text, flags=re.DOTALL | re.MULTILINE)
        return "".join(
            part if k % 2 else LINK.sub(lambda found: self._link(page, found), part)
            for k, part in enumerate(_with_code_in_links(parts))
        )

    def _link(self, page: str, found: re.Match) -> str:
        image, text, address = found.groups()
        if ELSEWHERE.match(address):
            return found[0]
        path, _, part = address.partition("#")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(page), path))
        name = Path(path).stem
        if path.startswith(GALLERY) and name in self.optional:
            if not image:
                path = cards.place(name)
        elif path.startswith(GALLERY):
            target = "audit.md" if name == "audit" else f"gallery/{name}.md"
            return self.picture(name, text, page) if image else f"[{text}]({_relative(page, target)})"
        if path in self.pages:
            return found[0]
        require((self.root / path).exists(), f"{page}: the link to {address} leads nowhere")
        if image:
            return found[0]
        if path == "figures/README.md":
            of_figure = part in cards.names() and part not in self.optional
            return f"[{text}]({_relative(page, f'gallery/{part}.md' if of_figure else 'gallery.md')})"
        self.shown.add(path)
        return f"[{text}]({_relative(page, source_page(path))})"


def source_page(path: str) -> str:
    """The page that shows a file or a folder of the repository."""
    return f"source/{path.strip('.').strip('/').replace('/.', '/')}.md"


def _relative(page: str, target: str) -> str:
    return posixpath.relpath(target, posixpath.dirname(page) or ".")


def _with_code_in_links(parts: list[str]) -> list[str]:
    """The parts between pieces of code, and the code; code inside the brackets of a link is put back into its text."""
    joined = [parts[0]]
    for code, text in zip(parts[1::2], parts[2::2], strict=True):
        if joined[-1].rfind("[") > joined[-1].rfind("]") and text.find("]") >= 0:
            joined[-1] += code + text
        else:
            joined += [code, text]
    return joined
