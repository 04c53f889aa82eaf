"""What Sphinx is told: its settings, formulae as MathML, and how our docstrings become reStructuredText."""

import re
from pathlib import Path

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml

from attnsvm.system.errors import UserError

project = html_title = "attnsvm"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx.ext.napoleon"]
# Of what is copied only these are pages: the others are files to which pages lead.
include_patterns = [
    "*.md",
    "*.rst",
    *(f"{name}/*" for name in ("docs", "gallery", "sections", "code", "api")),
    "*/README.md",
]
exclude_patterns = ["attnsvm", "experiments", "profiles", ".github"]
templates_path = [str(Path(__file__).parent / "templates")]
html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = html_show_sourcelink = html_show_copyright = html_use_index = html_domain_indices = False
html_math_renderer = "mathml"
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
default_role = "code"
napoleon_use_ivar = True
napoleon_use_rtype = False
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autosummary_generate = True
autosummary_ignore_module_all = False
add_module_names = False
python_use_unqualified_type_names = True
smartquotes = False
# A second title in the README, a page that another leads to, a type of another library in a docstring.
suppress_warnings = ["myst.header", "toc.not_included", "misc.highlighting_failure"]

MARK = re.compile(r"([*|\\])|(?<=\w)(_)(?!\w)")  # outside of code, what reStructuredText would not take literally
SECTION = re.compile(r" *(Args|Attributes|Raises|Returns|Yields):$")


def mathml(tex: str, block: bool = False) -> str:
    """A formula of LaTeX as one element `math`, which a browser shows without a script.

    Args:
        tex: without the dollar signs.
        block: whether it stands on a line by itself.

    Raises:
        UserError: the converter, that of docutils, does not understand it.
    """
    try:
        return re.sub(r"\n *", "", str(tex2mathml(tex, as_block=block)))
    except MathError as error:
        raise UserError(f"formula {tex!r}: {error}: write it in other words of LaTeX") from error


def _inline(writer, node: nodes.Element) -> None:
    writer.body.append(mathml(node.astext()))
    raise nodes.SkipNode


def _block(writer, node: nodes.Element) -> None:
    writer.body.append(f'<div class="formula">{mathml(node.astext(), block=True)}</div>\n')
    raise nodes.SkipNode


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


def setup(app) -> None:
    """Register both with Sphinx."""
    app.add_html_math_renderer(html_math_renderer, (_inline, None), (_block, None))
    app.connect("autodoc-process-docstring", _as_rst, priority=400)  # before napoleon
