"""The manuscript as PDF and as a page of HTML, by Typst: offline, with its own fonts, the same bytes every time."""

import json
import re
import shutil
import tempfile
from pathlib import Path

from attnsvm.publish.paper import manuscript
from attnsvm.system import extras
from attnsvm.system.errors import UserError, require
from attnsvm.system.store import save_bytes
from attnsvm.system.untrusted import yaml_file

NUMBERS, CONTRIBUTED, AUTHORS = "paper/numbers.json", "paper/contributed.typ", "CITATION.cff"
NAMES = ("given-names", "name-particle", "family-names", "name-suffix", "name", "alias")  # of an author, or of a group
UNSET = "github.com/OWNER/"  # in the address that a copy of no repository has
TOLERATED = "html export is under active development and incomplete"
DATE = 0  # seconds since 1970: the same inputs, the same bytes
LINE = re.compile(r"┌─ (.*?):(\d+):\d+")
HEADLINE = re.compile(
    r'<g id="subfigure_1">\s*<g id="patch_2">\s*<path d="M 0 ([\d.]+)'
)  # and where it ends, in points
VIEW = re.compile(r'height="([\d.]+)pt" viewBox="0 0 ([\d.]+) ([\d.]+)"')


def typeset(numbers: str, pictures: dict[str, str], pdf: str, html: str, root: Path = manuscript.ROOT) -> None:
    """Typeset the manuscript.

    Args:
        numbers: path of numbers.json.
        pictures: path of the svg of each figure that is shown.
        pdf, html: paths to write.
        root: the repository.

    Raises:
        UserError: Typst is not installed, a source asks for what there is not, or is not Typst; the sentence names file
            and line.
    """
    extras.needed("typst")
    import typst

    found = json.loads(Path(numbers).read_text("utf-8"))
    found["cited"] = cited(found, root)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary).resolve()
        _lay_out(folder, root, found, pictures)
        for kind, output in (("pdf", pdf), ("html", html)):
            save_bytes(output, _compiled(typst, folder, kind))


def _lay_out(folder: Path, root: Path, found: dict, pictures: dict[str, str]) -> None:
    """What Typst may read: the sources, the figures, and what is looked up."""
    for file in manuscript.sources(root):
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(root / file, folder / file)
    (folder / NUMBERS).write_text(json.dumps(found), "utf-8")
    included = "".join(f'#include "/{file}"\n' for file in manuscript.paragraphs(root))
    (folder / CONTRIBUTED).write_text(included, "utf-8")
    (folder / "paper/about.json").write_text(json.dumps(about(root)), "utf-8")
    (folder / "figures").mkdir()
    for name, path in pictures.items():
        require(Path(path).exists(), f"{path}: missing; run snakemake to build it")
        drawn = without_headline(Path(path).read_text("utf-8"))
        (folder / f"figures/{name}.svg").write_text(drawn, "utf-8")


def cited(found: dict, root: Path) -> list[str]:
    """The rows of the audit that the text names or takes a number of, in the order of the audit."""
    numbers = [name.split(".") for name in manuscript.named("numbers", root)]
    named = {*manuscript.named("verdicts", root), *(parts[1] for parts in numbers if parts[0] == "audit")}
    return [row["key"] for row in found["claims"] if row["key"] in named]


def without_headline(svg: str) -> str:
    """A figure without the title and the verdict that stand above its panels: a text says both where they belong."""
    head, view = HEADLINE.search(svg), VIEW.search(svg)
    if head is None or view is None:
        return svg
    top, height, width = (float(size) for size in (head[1], view[1], view[2]))
    seen = f'height="{height - top:g}pt" viewBox="0 {top:g} {width:g} {height - top:g}"'
    hidden = head[0].replace(">", ' visibility="hidden">', 1)  # its letters are those of the panels too
    return svg.replace(head[0], hidden).replace(view[0], seen)


def about(root: Path) -> dict:
    """Authors, version and address as CITATION.cff says them; "" for an address that nobody has set."""
    cited = yaml_file(root / AUTHORS)
    address = cited.get("repository-code", "")
    return {
        "authors": [author_name(one) for one in cited["authors"]],
        "version": cited["version"],
        "address": "" if UNSET in address else address,
    }


def author_name(author: dict) -> str:
    """The name of an author of CITATION.cff.

    Raises:
        UserError: a part is no text, as YAML takes Null and No, or there is none.
    """
    parts = {word: author.get(word, "") for word in NAMES}
    for word, text in parts.items():
        require(isinstance(text, str), f"CITATION.cff: {word}: expected a text, got {text!r}; put it in quotes")
    *person, group, alias = parts.values()
    name = group or " ".join(filter(None, person)) or alias
    require(bool(name), "CITATION.cff: an author has no name: give family-names, name or alias")
    return name


def _compiled(typst, folder: Path, kind: str) -> bytes:
    try:
        made, warnings = typst.compile_with_warnings(
            str(folder / manuscript.MAIN),
            root=str(folder),
            format=kind,
            sys_inputs={"kind": kind},
            timestamp=DATE,
            ignore_system_fonts=True,
        )
    except typst.TypstError as error:
        raise UserError(complaint(error.message, error.diagnostic, folder)) from error
    for warning in warnings:
        require(warning.message == TOLERATED, complaint(warning.message, warning.diagnostic, folder))
    return made


def complaint(message: str, diagnostic: str, folder: Path) -> str:
    """One sentence with the file of the repository and the line that Typst names; of a call, where it is called."""
    places = [(Path(file).resolve(), line) for file, line in LINE.findall(diagnostic)]  # from where the process runs
    own = [(file.relative_to(folder).as_posix(), line) for file, line in places if folder in file.parents]
    file, line = next((one for one in own if one[0] != manuscript.STYLE), (manuscript.MAIN, ""))
    return ":".join(filter(None, [file, line])) + f": {message.removeprefix('assertion failed: ')}"


def _job(job) -> None:
    pictures = dict(zip(job.params.figures, job.inputs.get("pictures", []), strict=True))
    typeset(job.inputs["numbers"], pictures, job.outputs["pdf"], job.outputs["html"])


JOBS = {"typeset": _job}
