"""`snakemake site`: pages written from what was computed, made into a site by Sphinx; the same bytes every time.

The site is a folder of files that a browser opens from a disk or from a server. It loads nothing from other servers.
A page of the repository has the same place in the site, so links between pages do not change; a link to another file
leads to a copy of it.
"""

import io
import re
import shutil
import tempfile
from pathlib import Path

from attnsvm.pipeline import cards
from attnsvm.publish.site import explorer
from attnsvm.publish.site.pages import Built, sources
from attnsvm.system import extras
from attnsvm.system.errors import require
from attnsvm.system.writing import filling

HERE, ROOT = Path(__file__).parent, cards.HERE.parents[1]
NEEDED = ("README.md", "docs")
# The repository's pages, and what they lead to.
COPIED = (
    *("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "CITATION.cff", "Dockerfile", "LICENSE", "requirements.lock"),
    *("docs", "figures/gallery", "attnsvm", "experiments", "config", "profiles", ".github"),
)
IN_GALLERY, PAGE_OF_FIGURE = re.compile(r"figures/README\.md#(\w+)\)"), r"gallery/\1.md)"
# {a file of the site that is no page: a file of the run}
OFFERED = {
    "claims.csv": "results/audit/claims.csv",
    "attnsvm.pdf": "paper/attnsvm.pdf",
    "attnsvm.html": "results/paper/manuscript.html",
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
    extras.needed("furo", "myst_parser", "sphinx")
    missing = [name for name in NEEDED if not (ROOT / name).exists()]
    require(not missing, f"the site is built in a clone of the repository: {', '.join(missing)} is missing")
    built = Built(Path(folder), captions, notes)
    with tempfile.TemporaryDirectory() as temporary, filling(output) as made:
        source = Path(temporary) / "source"
        _copy_repository(source)
        for path, text in sources(built, source).items():
            (source / path).parent.mkdir(parents=True, exist_ok=True)
            (source / path).write_text(text, "utf-8")
        _sphinx(source, made, Path(temporary) / "doctrees")
        for called, path in (OFFERED | {path: path for path in built.files()}).items():
            shutil.copyfile(built.folder / path, made / called)
        # Sphinx's page of the explorer gave the menu and the search their words; the explorer itself takes its place.
        (made / "explorer.html").write_text(explorer.page(home="index.html"), "utf-8")


def _copy_repository(source: Path) -> None:
    """The pages of the repository and what they lead to; a link to a figure in the gallery leads to its page."""
    source.mkdir()
    for path in (ROOT / name for name in COPIED):
        if path.is_dir():
            shutil.copytree(path, source / path.relative_to(ROOT), ignore=shutil.ignore_patterns("__pycache__"))
        elif path.exists():
            shutil.copyfile(path, source / path.name)
    for page in (*source.glob("*.md"), *source.glob("docs/*.md"), *source.glob("config/*.md")):
        page.write_text(IN_GALLERY.sub(PAGE_OF_FIGURE, page.read_text("utf-8")), "utf-8")


def _sphinx(source: Path, made: Path, doctrees: Path) -> None:
    """Run Sphinx; every warning is an error, except for the layout of a docstring."""
    from sphinx.application import Sphinx
    from sphinx.util.docutils import docutils_namespace, patch_docutils

    said = io.StringIO()
    with patch_docutils(HERE), docutils_namespace():
        Sphinx(source, HERE, made, doctrees, "html", status=None, warning=said, freshenv=True).build()
    (made / ".buildinfo").unlink()  # it has the folders of this build
    lines = re.sub(r"\x1b\[[\d;]*m", "", said.getvalue()).replace(f"{source}/", "").splitlines()
    complaints = "; ".join(line for line in lines if line and ":docstring of " not in line)
    require(not complaints, f"the site: {complaints}")


def _job(job) -> None:
    folder = job.inputs["claims"].removesuffix("results/audit/claims.csv") or "."
    site(folder, job.params.captions, job.params.notes, job.output[0])


JOBS = {"site": _job}
