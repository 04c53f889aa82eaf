"""The pages of the site as MyST sources: from the cards and from the table of claims."""

import posixpath
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import jinja2
import markupsafe
import pandas as pd
import yaml

from attnsvm.audit import pages as audit_pages
from attnsvm.audit.evaluation import GROUPS, Tables, counts, in_words, is_sharper
from attnsvm.audit.table import certificates
from attnsvm.pipeline import cards
from attnsvm.pipeline.captions import prose
from attnsvm.pipeline.configuration import figure_settings
from attnsvm.publish.documents import docs
from attnsvm.svm.verdict import COUNTS
from attnsvm.system.store import load_csv

# The files of a figure, and a description where the ending is not enough.
KINDS = {"csv": "the numbers drawn", "svg": "", "json": "provenance: settings, code, packages, seeds, costs"}
# The repository's pages in the menu, by heading; a page that is not named stands under the last one.
MENU = {
    "Start": ("README", "docs/install", "docs/trust", "docs/performance"),
    "The paper and beyond": ("docs/paper", "docs/theory", "docs/literature", "docs/audit"),
    "Your own": ("docs/svm", "docs/inspect", "docs/engine", "docs/experiment", "docs/paper_of_your_own"),
    "Elsewhere": ("docs/cluster", "docs/embedding", "docs/exchange", "docs/archive"),
    "Development": ("CONTRIBUTING", "docs/house", "CHANGELOG"),
}
SIZE = re.compile(r'<svg [^>]*height="([\d.]+)pt" viewBox="0 0 ([\d.]+) ')
TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True)
class Built:
    """What a run of the pipeline left.

    Attributes:
        folder: with figures/ and results/ in it; the repository itself at full scale.
        captions: of every figure, at the scale of the run.
        notes: what a figure's page says beyond its caption; "" where there is nothing.
    """

    folder: Path
    captions: dict[str, str]
    notes: dict[str, str]

    @cached_property
    def claims(self) -> list[dict]:
        """The rows of the audit, each with the experiment that it stands in."""
        homes = {claim.key: card.name for card in cards.claiming() for claim in card.claims}
        table = load_csv(self.folder / "results/audit/claims.csv")
        table = table.fillna(
            dict.fromkeys(("main", "further", "figure", "why", "also", "sharpens", "seeds", "source", "revised"), "")
        )
        return [row | {"experiment": homes[row["key"]]} for row in table.to_dict("records")]

    @cached_property
    def asked(self) -> dict[str, dict[str, int]]:
        """How many claims as first asked have each verdict, as in the manuscript: of each group, and of all as ""."""
        table = pd.DataFrame(self.claims)
        table = table[~is_sharper(table)]
        return {"": counts(table)} | {group: counts(own) for group, own in table.groupby("group")}

    def files(self) -> list[str]:
        """The files of all figures, and of that of the audit."""
        names = [*(card.name for card in cards.figures()), "audit"]
        every = [f"figures/{name}.{kind}" for name in names for kind in KINDS]
        return [path for path in every if (self.folder / path).exists()]

    def certificates(self) -> pd.DataFrame:
        """What was proved of the answers of every experiment."""
        return certificates(Tables(self.folder), [card.name for card in cards.experiments()]).set_index("experiment")


def sources(built: Built, repository: Path) -> dict[str, str]:
    """Every page that is made, by its path in the folder that Sphinx reads; `repository`: the pages that there are."""
    there = {str(path.relative_to(repository).with_suffix("")) for path in repository.rglob("*.md")}
    menu = {heading: [name for name in names if name in there] for heading, names in MENU.items()}
    menu[[*menu][-1]] += sorted(name for name in there - set().union(*MENU.values()) if name.startswith("docs/"))
    sections = {members[0].section: (heading, members) for heading, members in cards.sections(optional=True).items()}
    render = _renderer(built, sections)
    texts = {
        name: render(name) for name in ("figures/README.md", "audit.md", "explorer.md", "manuscript.md", "code.md")
    }
    texts |= {"index.md": render("index.md", menu=menu), "api.rst": (TEMPLATES / "api.rst").read_text("utf-8")}
    for key, (heading, members) in sections.items():
        texts[f"sections/{key}.md"] = render("section.md", f"sections/{key}.md", heading=heading, members=members)
    for card in cards.figures(optional=True):
        pictured = not card.optional or (repository / f"figures/gallery/{card.name}.png").exists()
        texts[f"gallery/{card.name}.md"] = render("figure.md", f"gallery/{card.name}.md", card=card, pictured=pictured)
    for name in cards.names():
        files = (path for path in (repository / cards.place(name)).iterdir() if path.is_file())
        code = sorted(path.name for path in files if path.stem.isidentifier())  # not what an editor has put there
        texts[f"code/{name}.md"] = render("code_of.md", f"code/{name}.md", name=name, code=code)
    return texts


def first_sentence(text: str) -> str:
    """The first sentence of a text, on one line, without the marks of Markdown."""
    line = " ".join(re.sub(r"[`*]", "", text).split())
    return re.split(r"(?<=\w\.|\)\.) (?=[A-Z(])", line)[0]


def sentence(title: str) -> str:
    """A title as a sentence; a symbol at its beginning, such as v, stays as it is."""
    start = title[0].upper() if re.match(r"[a-z](?=[a-z])|a ", title) else title[0]
    return start + title[1:] + ("" if title.endswith(("?", ".", "!")) else ".")


def plain(short: str) -> str:
    """A claim's short form without the marks of mathematics: "$d = \\max(T-1, n)$" says "d = max(T−1, n)"."""

    def said(found: re.Match) -> str:
        return found[1].replace(r"\ell_p", "ℓp").replace("\\", "").replace("-", "−").replace("_", "").replace("^", "")

    return re.sub(r"\$([^$]*)\$", said, short)


def _renderer(built: Built, sections: dict):
    """The function that fills a template, given its name, where the page stands if not there, and its own values."""
    environment = jinja2.Environment(
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        loader=jinja2.FileSystemLoader([TEMPLATES, docs.TEMPLATES]),
    )
    environment.filters |= {
        "cell": docs.cell,
        "escape": lambda text: str(markupsafe.escape(text)),
        "code": lambda text: re.sub(r"`([^`]+)`", r"<code>\1</code>", str(markupsafe.escape(text))),
        "plain": plain,
        "prose": prose,
        "sentence": sentence,
        "measured": audit_pages.measured,
        "wanted": audit_pages.wanted,
        "sharper": audit_pages.sharper,
        "unmet": audit_pages.unmet,
        "number": audit_pages.number,
        "css": lambda verdict: verdict.replace(" ", "-"),
        "yaml": lambda value: yaml.safe_dump(value, default_flow_style=True, width=9999).removesuffix("...\n").strip(),
    }
    checked = built.certificates()
    environment.globals |= {
        "claims": built.claims,
        "asked": built.asked,
        "asked_by_kind": in_words(pd.DataFrame(built.claims)),
        "captions": built.captions,
        "notes": built.notes,
        "files": set(built.files()),
        "kinds": KINDS,
        "groups": GROUPS,
        "sections": sections,
        "settings": figure_settings(),
        "read": cards.read,
        "place": cards.place,
        "names": cards.names(),
        "counts": COUNTS,
        "certificates": checked[["checked", *COUNTS]].sum().astype(int).to_dict(),
        "certificates_of": checked.to_dict("index"),
    }

    def render(template: str, where: str = "", **values) -> str:
        where = where or template
        up = posixpath.relpath(".", posixpath.dirname(where) or ".")
        own = {"up": up, "picture": lambda name, lazy=True: _picture(built, name, up, lazy)}
        return environment.get_template(f"{template}.j2").render(own | values)

    return render


def _picture(built: Built, name: str, up: str, lazy: bool) -> str:
    """A figure; on a narrow screen it can be moved sideways.

    Its words for who does not see it are the first sentence of its caption.
    """
    said = "Every claim and its verdict" if name == "audit" else first_sentence(built.captions[name])
    found = SIZE.search((built.folder / f"figures/{name}.svg").read_text("utf-8")[:2000])
    height, width = (round(96 / 72 * float(length)) for length in found.groups()[:2])
    size = f'width="{width}" height="{height}"' + ' loading="lazy"' * lazy
    image = f'<img src="{up}/figures/{name}.svg" alt="{markupsafe.escape(said)}" {size}>'
    return f'<div class="figure" tabindex="0" role="group" aria-label="Figure {name}">{image}</div>'
