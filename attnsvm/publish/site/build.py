"""`snakemake site`: pages written from what was computed, made into a site by Sphinx; the same bytes every time.

The site is a folder of files that a browser opens from a disk or from a server. It loads nothing from other servers.
"""

import io
import json
import lzma
import re
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path

from attnsvm.errors import UserError, require
from attnsvm.pipeline import cards, targets
from attnsvm.publish.site import explorer
from attnsvm.publish.site.links import GALLERY
from attnsvm.publish.site.pages import Built, sources
from attnsvm.publish.site.screen import for_screens
from attnsvm.writing import filling

ROOT = Path(__file__).resolve().parents[3]
STATIC, TEMPLATES = (Path(__file__).parent / name for name in ("static", "templates"))
NEEDED = ("README.md", "docs")
PAPER = "paper/attnsvm.pdf"
MARK = re.compile(r"([*|\\])|(?<=\w)(_)(?!\w)")  # outside of code, what reStructuredText would not take literally
SECTION = re.compile(r" *(Args|Attributes|Raises|Returns|Yields):$")
# What Sphinx leaves that no page asks for.
LEFT = (
    *(".buildinfo", ".doctrees", "objects.inv", "_sources", "genindex.html", "py-modindex.html", "*.map"),
    *("basic.css", "debug.css", "skeleton.css", "furo-extensions.*", "*-stemmer.js"),
    *("file.png", "minus.png", "plus.png"),
)
ALONE = re.compile(r"(<t[dh][^>]*>)<p>((?:(?!</?p>).)*)</p></t", re.DOTALL)  # the one paragraph of a cell
BEST = 9 | lzma.PRESET_EXTREME
# Classes of docutils, and what styles ask for of them.
SHORTER = {
    ' class="reference internal"': "",  # a link like others, see `PLACES`
    'class="current reference internal"': 'class="current"',
    'class="table-wrapper colwidths-auto docutils container"': 'class="table-wrapper container"',
    '<th class="head">': "<th>",
    '<code class="docutils literal notranslate">': "<code>",  # all code in a sentence looks alike, see `PLACES`
    '<section class="tex2jax_ignore mathjax_ignore" ': "<section ",
    '<math xmlns="http://www.w3.org/1998/Math/MathML"': "<math",
    'rel="stylesheet" type="text/css"': 'rel="stylesheet"',
}
# Classes in the styles of the theme that `_lean` takes away or shortens, and where they stood.
PLACES = {
    "code.literal": "code",
    ".reference": ":is(a,.reference)",
    ".toctree-l1": ":is(.sidebar-tree>ul>li,.toctree-l1)",
}
SETTINGS = {
    "project": "attnsvm",
    "html_title": "attnsvm",
    "extensions": [
        "myst_parser",
        "sphinx.ext.autodoc",
        "sphinx.ext.autosummary",
        "sphinx.ext.napoleon",
        "attnsvm.publish.site.formulae",
    ],
    "html_math_renderer": "mathml",
    "myst_enable_extensions": ["dollarmath"],
    "html_theme": "furo",
    "html_copy_source": False,
    "html_show_sourcelink": False,
    "html_show_copyright": False,
    "html_use_index": False,
    "html_domain_indices": False,
    "html_css_files": ["site.css"],
    "html_favicon": None,
    "myst_heading_anchors": 4,
    "default_role": "code",
    "napoleon_use_ivar": True,
    "napoleon_use_rtype": False,
    "autodoc_typehints": "signature",
    "autodoc_preserve_defaults": True,
    "add_module_names": False,
    "python_use_unqualified_type_names": True,
    "highlight_language": "text",
    "smartquotes": False,
    # A second title in the README, a type of another library in a docstring: a reader misses nothing.
    "suppress_warnings": ["myst.header", "misc.highlighting_failure"],
}


def site(folder: str, captions: dict[str, str], notes: dict[str, str], output: str) -> None:
    """Build the site of a run.

    Args:
        folder: with the run's figures/ and results/ in it.
        captions: of every figure.
        notes: more about it.
        output: the folder to write, a new or an empty one.

    Raises:
        UserError: Sphinx is not installed, the repository's pages are missing, or a link leads nowhere.
    """
    try:
        import sphinx.application  # noqa: F401
    except ImportError as error:
        raise UserError("the site needs Sphinx: install attnsvm[site], or run make install") from error
    missing = [name for name in NEEDED if not (ROOT / name).exists()]
    require(not missing, f"the site is built in a clone of the repository: {', '.join(missing)} is missing")
    built = Built(ROOT, Path(folder), captions, notes)
    with tempfile.TemporaryDirectory() as temporary:
        source, extra, made = (Path(temporary) / name for name in ("source", "extra", "made"))
        for path, text in sources(built).items():
            _write(source / path, text)
        _pictures((ROOT / "docs").glob("*.png"), source / "docs")
        # A new one has none before `make gallery`.
        pictures = (ROOT / f"{GALLERY}{name}.png" for name in targets.optional())
        _pictures((path for path in pictures if path.exists()), source / GALLERY)
        _files(built, extra)
        _sphinx(source, extra, made)
        for path in made.rglob("*.html"):
            path.write_text(_lean(path.read_text("utf-8")), "utf-8")
        for path in made.rglob("*.css"):
            path.write_text(_of_lean(path.read_text("utf-8")), "utf-8")
        with filling(output) as whole:
            shutil.copytree(made, whole, ignore=shutil.ignore_patterns(*LEFT), dirs_exist_ok=True)


def _files(built: Built, extra: Path) -> None:
    """The files of the site that are no pages."""
    for name in [*(card.name for card in cards.figures()), "audit"]:
        for called, path in built.offered(name).items():
            content = path.read_bytes()
            if path.suffix == ".svg":
                content = for_screens(content.decode("utf-8")).encode("utf-8")
            elif path.suffix == ".json":
                content = json.dumps(json.loads(content), separators=(",", ":"), ensure_ascii=False).encode("utf-8")
            _write(
                extra / f"figures/{called}", lzma.compress(content, preset=BEST) if called.endswith(".xz") else content
            )
    _write(extra / "claims.csv", (built.folder / "results/audit/claims.csv").read_bytes())
    _write(extra / "attnsvm.pdf", (built.folder / PAPER).read_bytes())
    _write(extra / "play.html", explorer.page(home="index.html"))


def _pictures(paths: Iterable[Path], target: Path) -> None:
    for path in paths:
        _write(target / path.name, path.read_bytes())


def _write(path: Path, content: str | bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)


def _lean(html: str) -> str:
    """A page without the marks of docutils that no style asks for, and without indentation; code stays as it is."""
    parts = re.split(r"(<pre.*?</pre>)", html, flags=re.DOTALL)
    return "".join(part.replace("<span></span>", "", 1) if k % 2 else _unmarked(part) for k, part in enumerate(parts))


def _unmarked(html: str) -> str:
    html = ALONE.sub(r"\1\2</t", re.sub(r"\n\s+", "\n", html))
    html = re.sub(r'<span class="(?:pre|std std-doc|std std-ref|caption-text)">([^<]*)</span>', r"\1", html)
    for marked, plain in SHORTER.items():
        html = html.replace(marked, plain)
    return re.sub(r' class="toctree-l\d"|(?<= class=")toctree-l\d |(?<=<tr) class="row-(?:odd|even)"', "", html)


def _of_lean(css: str) -> str:
    """A style for lean pages: a rule for a class that they leave out is one for where it stood, and as strong."""
    for marked, plain in PLACES.items():
        css = css.replace(marked, plain)
    return css


def _sphinx(source: Path, extra: Path, made: Path) -> None:
    """Run Sphinx; every warning is an error, except for the layout of a docstring."""
    from sphinx.application import Sphinx
    from sphinx.util.docutils import docutils_namespace, patch_docutils

    said = io.StringIO()
    folders = {"html_static_path": STATIC, "html_extra_path": extra, "templates_path": TEMPLATES}
    settings = SETTINGS | {name: [str(folder)] for name, folder in folders.items()}
    with patch_docutils(), docutils_namespace():
        app = Sphinx(
            str(source),
            None,
            str(made),
            str(made / ".doctrees"),
            "html",
            settings,
            status=None,
            warning=said,
            freshenv=True,
        )
        app.connect("autodoc-process-docstring", _as_rst, priority=400)  # before napoleon
        app.connect("html-page-context", _of_text)
        app.build()
    lines = re.sub(r"\x1b\[[\d;]*m", "", said.getvalue()).replace(f"{source}/", "").splitlines()
    complaints = "; ".join(line for line in lines if line and ":docstring of " not in line)
    require(not complaints, f"the site: {complaints}")


def _of_text(app, name: str, *_) -> str | None:
    """The template of a page of code, which is text; other pages have that of the theme."""
    return "plain.html" if name.startswith("source/") else None


def _as_rst(app, what, name, thing, options, lines: list[str]) -> None:
    """Our docstrings are plain text with code in backticks: other marks of reStructuredText are taken literally.

    Before the sections (Args, ...), indented lines become a block.
    """
    told: list[str] = []
    opening = True
    for line in lines:
        pieces = re.split(r"(`[^`]*`)", line)
        text = "".join(piece if k % 2 else MARK.sub(r"\\\1\2", piece) for k, piece in enumerate(pieces))
        opening = opening and not SECTION.match(line)
        if opening and told and told[-1] and line and _indent(told[-1]) != _indent(line):
            told.append("")
        told.append(text)
    lines[:] = told


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
