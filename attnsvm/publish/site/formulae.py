"""Formulae of the pages as MathML, written at build time: a browser shows them without a script.

An extension of Sphinx. The converter is that of docutils, which Sphinx brings along; it refuses what it does not know.
"""

import re

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml

from attnsvm.errors import UserError

NAME = "mathml"


def mathml(tex: str, block: bool = False) -> str:
    """A formula of LaTeX as one element `math`.

    Args:
        tex: without the dollar signs.
        block: whether it stands on a line by itself.

    Raises:
        UserError: the converter does not understand it.
    """
    try:
        text = str(tex2mathml(tex, as_block=block))
    except MathError as error:
        raise UserError(f"formula {tex!r}: {error}: write it in other words of LaTeX") from error
    return re.sub(r"\n *", "", text)


def _inline(writer, node: nodes.Element) -> None:
    writer.body.append(mathml(node.astext()))
    raise nodes.SkipNode


def _block(writer, node: nodes.Element) -> None:
    writer.body.append(f'<div class="formula">{mathml(node.astext(), block=True)}</div>\n')
    raise nodes.SkipNode


def setup(app) -> dict[str, bool]:
    """Register the formulae with Sphinx."""
    app.add_html_math_renderer(NAME, (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
