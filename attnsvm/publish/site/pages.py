"""The pages of the site as MyST sources: from the cards, the table of claims and the repository's own pages."""

import posixpath
import re
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from importlib.resources import files
from pathlib import Path

import jinja2
import markupsafe
import pandas as pd

from attnsvm.audit import pages as audit_pages
from attnsvm.audit.reading import GROUPS, Tables, counts, is_sharper
from attnsvm.audit.table import certificates
from attnsvm.pipeline import cards, targets
from attnsvm.pipeline.captions import prose
from attnsvm.publish.site import api, manuscript, moving, screen
from attnsvm.publish.site.links import Links, source_page
from attnsvm.store import load_csv
from attnsvm.svm.verdict import COUNTS

ROOT_PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")
# The files of a figure, and a description where the ending is not enough.
KINDS = {"csv": "the numbers drawn", "svg": "", "json": "provenance: settings, code, packages, seeds, costs"}
LARGE = 10_000  # bytes from which on a csv is compressed
# The order in which a reader meets the pages; other pages come last.
ORDER = (
    "paper",
    "theory",
    "literature",
    "figures",
    "svm",
    "house",
    "experiment",
    "paper_of_your_own",
    "inspect",
    "embedding",
    "cluster",
    "performance",
    "trust",
    "exchange",
    "archive",
)
FENCE = "~" * 12
MANUSCRIPT = "results/paper/manuscript.html"


@dataclass(frozen=True)
class Built:
    """What a run of the pipeline left.

    Attributes:
        root: the repository.
        folder: with figures/ and results/ in it; the repository itself at full scale.
        captions: of every figure, at the scale of the run.
        notes: what a figure's page says beyond its caption; "" where there is nothing.
    """

    root: Path
    folder: Path
    captions: dict[str, str]
    notes: dict[str, str]

    @cached_property
    def claims(self) -> list[dict]:
        """The rows of the audit, each with the experiment that it stands in."""
        homes = {claim.key: card.name for card in cards.claiming() for claim in card.claims}
        table = load_csv(self.folder / "results/audit/claims.csv")
        table = table.fillna(dict.fromkeys(("main", "further", "figure", "why", "also", "sharpens", "seeds"), ""))
        return [row | {"experiment": homes[row["key"]]} for row in table.to_dict("records")]

    @cached_property
    def asked(self) -> dict[str, dict[str, int]]:
        """How many claims as first asked have each verdict, as in the manuscript: of each group, and of all as ""."""
        table = pd.DataFrame(self.claims)
        table = table[~is_sharper(table)]
        return {"": counts(table)} | {group: counts(own) for group, own in table.groupby("group")}

    def offered(self, name: str) -> dict[str, Path]:
        """The files of a figure in the site, by their names there; a large csv is compressed."""
        found = {f"{name}.{kind}": self.folder / f"figures/{name}.{kind}" for kind in KINDS}
        found = {called: path for called, path in found.items() if path.exists()}
        large = [path for path in found.values() if path.suffix == ".csv" and path.stat().st_size > LARGE]
        return {f"{called}.xz" if path in large else called: path for called, path in found.items()}

    @cached_property
    def sizes(self) -> dict[str, tuple[float, float]]:
        """Width and height of every figure."""
        names = [*(card.name for card in cards.figures()), "audit"]
        return {name: screen.size((self.folder / f"figures/{name}.svg").read_text("utf-8")[:2000]) for name in names}


def sources(built: Built) -> dict[str, str]:
    """Every page by its path in the folder that Sphinx reads."""
    documents = [f"docs/{path.name}" for path in (built.root / "docs").glob("*.md")]
    documents.sort(key=lambda path: (ORDER.index(Path(path).stem) if Path(path).stem in ORDER else len(ORDER), path))
    named = [*(name for name in ROOT_PAGES if (built.root / name).exists()), *documents]
    writer = _Writer(built)
    links = Links(built.root, {*named, "audit.md", "gallery.md"}, writer.picture, targets.optional())
    texts = {path: links.rewritten(path, (built.root / path).read_text("utf-8")) for path in named}
    sections = {card.section: cards.SECTIONS[card.section] for card in cards.figures()}
    sections = {key: (heading, cards.sections()[heading]) for key, heading in sections.items()}
    written = (built.folder / MANUSCRIPT).read_text("utf-8")
    texts |= {
        "index.md": writer.page(
            "index.md", moving=writer.moving(), own=named, sections=sections, pictures=len(cards.figures())
        ),
        "manuscript.md": manuscript.page(written, lambda name, said: writer.picture(name, said, "manuscript.md")),
        "gallery.md": writer.page("gallery.md", sections=sections),
        "audit.md": writer.page("audit.md", **writer.audit()),
        "explorer.md": writer.page("explorer.md"),
        "api.md": writer.page("api.md", modules={name: api.public(import_module(name)) for name in api.MODULES}),
    }
    for key, (heading, members) in sections.items():
        where = f"sections/{key}.md"
        texts[where] = writer.page("section.md", where, key=key, heading=heading, members=members)
    for card in cards.figures():
        texts[f"gallery/{card.name}.md"] = writer.page("figure.md", f"gallery/{card.name}.md", card=card)
    for name in api.MODULES:
        texts[f"api/{name}.md"] = api.module_page(name)
    folders = {cards.place(name) for name in cards.names()}
    for path in sorted(folders | links.shown):
        texts[source_page(path)] = writer.source(path)
    texts["source.md"] = writer.page("source.md", paths=sorted(folders | links.shown))
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


class _Writer:
    """Fills the templates."""

    def __init__(self, built: Built):
        self.built = built
        self.environment = jinja2.Environment(
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            loader=jinja2.FileSystemLoader(str(files("attnsvm.publish.site").joinpath("templates"))),
        )
        self.environment.filters |= {
            "cell": lambda text: " ".join(text.split()).replace("|", "\\|"),
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
        }

    def page(self, template: str, where: str | None = None, **values) -> str:
        """A page; `where` is where it stands, if not where its template says."""
        where = where or template

        def to(target: str) -> str:
            return posixpath.relpath(target, posixpath.dirname(where) or ".")

        return self.environment.get_template(f"{template}.j2").render(
            claims=self.built.claims,
            captions=self.built.captions,
            notes=self.built.notes,
            files=self.files,
            groups=GROUPS,
            asked=self.built.asked,
            read=cards.read,
            place=cards.place,
            to=to,
            source=lambda name: to(source_page(name)),
            figures=self.built.sizes,
            picture=lambda name, lazy=True: self.picture(name, self.alternative(name), where, lazy),
            **values,
        )

    def files(self, name: str) -> dict[str, tuple[str, str]]:
        """For every kind of file that a figure has: its name in the site, and a description."""
        kinds = {called.removeprefix(f"{name}.").partition(".")[0]: called for called in self.built.offered(name)}
        return {kind: (called, KINDS[kind]) for kind, called in kinds.items()}

    def alternative(self, name: str) -> str:
        """The text for a reader who does not see a figure: the first sentence of its caption."""
        return "Every claim and its verdict" if name == "audit" else first_sentence(self.built.captions[name])

    def picture(self, name: str, alternative: str, page: str, lazy: bool = True) -> str:
        """A figure, light or dark as the page is; on a narrow screen it can be moved sideways."""
        up = posixpath.relpath("figures", posixpath.dirname(page) or ".")
        width, height = (round(96 / 72 * length) for length in self.built.sizes[name])
        said = markupsafe.escape(" ".join(alternative.split()))
        one = (
            '<img class="only-{mode}" src="{up}/{name}.svg{dark}" alt="{said}" width="{width}" height="{height}"'
            + ' loading="lazy"' * lazy
            + ">"
        )
        both = "".join(
            one.format(mode=mode, dark=dark, up=up, name=name, said=said, width=width, height=height)
            for mode, dark in (("light", ""), ("dark", "#dark"))
        )
        return f'<div class="figure" tabindex="0" role="group" aria-label="Figure {name}">{both}</div>'

    def moving(self) -> str:
        path = self.built.folder / "figures/trajectories.csv"
        return moving.picture(load_csv(path))

    def audit(self) -> dict:
        """What the audit's page says of the certificates: of all together, and of every experiment."""
        table = certificates(Tables(self.built.folder), [card.name for card in cards.experiments()])
        whole = table[["checked", *COUNTS]].sum().astype(int).to_dict()
        return {
            "certificates": whole,
            "certificates_of": table.set_index("experiment").to_dict("index"),
            "counts": COUNTS,
        }

    def source(self, path: str) -> str:
        """A page that shows a file, or the files of a folder."""
        whole = self.built.root / path
        shown = [item for item in whole.iterdir() if item.is_file()] if whole.is_dir() else [whole]
        listing = [
            {"name": item.name, "text": item.read_text("utf-8").rstrip()}
            for item in sorted(shown, key=lambda item: (item.name != "card.yaml", item.name))
        ]
        name = whole.name if whole.name in cards.names() and path == cards.place(whole.name) else ""
        drawn = [card.name for card in cards.figures() if name in card.draws or name == card.name]
        return self.page(
            "listing.md", source_page(path), path=path, listing=listing, fence=FENCE, experiment=name, drawn=drawn
        )
