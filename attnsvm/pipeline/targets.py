"""What can be asked for: the targets, what `snakemake --list` says of them, and what is answered to a wrong one."""

import difflib

from attnsvm.pipeline import cards
from attnsvm.pipeline.terse import listed

PICTURES = ("pdf", "png", "svg")
KINDS = (*PICTURES, "csv", "json")  # of a figure
CODE = "plot.pyz"  # the code that draws it from its csv, with `standalone: true`
TABLES = ("csv", "html", "md")  # of an audit
MATRIX = ("csv", "html", *PICTURES)  # of claims under other settings
TRIED = ("paper", "beyond", "literature")  # the sections whose claims `elsewhere/all` tries under other settings
STEP = "internal: a step on the way to the targets"


def figures() -> list[str]:
    """The figures of `figures/all`."""
    return [card.name for card in cards.figures()]


def optional() -> list[str]:
    """The figures that are built only where they are asked for."""
    return [card.name for card in cards.figures(optional=True) if card.optional]


def group(name: str) -> list[str]:
    """The figures of a section; optional ones are in none."""
    return [card.name for card in cards.figures() if card.section == name]


def shown(claimed: str) -> list[str]:
    """The figures behind a page of claims: that of one experiment, or those of a section."""
    return group(claimed) if claimed in cards.SECTIONS else [claimed]


def behind(pictured: str) -> tuple[str, ...]:
    """The experiments behind a figure; the audit reads them all."""
    return tuple(card.name for card in cards.experiments()) if pictured == "audit" else cards.read(pictured).draws


def drawn(pictured: str) -> tuple[str, ...]:
    """The kinds of files that are drawn of a figure."""
    return PICTURES if pictured == "audit" else (*PICTURES, "csv")


def pages() -> list[str]:
    """What has a page of claims of its own: every experiment that makes claims, and every section."""
    return [*(card.name for card in cards.claiming(optional=True)), *cards.SECTIONS]


def claiming(claimed: str = "") -> list[str]:
    """The experiments whose claims stand on a page, see `shown`; "": on that of every run."""
    if not claimed:
        return [card.name for card in cards.claiming()]
    return [card.name for card in cards.claiming(optional=True) if card.name in shown(claimed)]


def measured(claimed: str = "") -> list[str]:
    """The experiments whose certificates stand on a page, see `claiming`."""
    if not claimed:
        return [card.name for card in cards.experiments()]
    return list(dict.fromkeys(name for figure in shown(claimed) for name in cards.read(figure).draws))


def elsewhere() -> list[str]:
    """The figures whose claims can be tried under other settings."""
    return [card.name for card in cards.claiming(optional=True) if card.draws and "outside" not in card.modules]


def tried() -> list[str]:
    """Those of `elsewhere/all`."""
    return [name for name in elsewhere() if (card := cards.read(name)).section in TRIED and not card.optional]


def descriptions() -> dict[str, str]:
    """What `snakemake --list` says of each target."""
    return {
        "figures/all": "every figure",
        "figures/audit": "every claim and its verdict in one picture",
        **{
            f"figures/{name}": f"{heading.lower()}: its figures and their claims, results/audit/{name}.html"
            for name, heading in cards.SECTIONS.items()
        },
        "audit": "every claim of the paper against the numbers: results/audit/audit.html",
        "report": "every figure and the audit; with --report report.html, in one file",
        "paper": "the manuscript, typeset: paper/attnsvm.pdf",
        "site": "a website of everything: site/index.html",
        **{f"figures/{card.name}": card.title for card in cards.figures(optional=True)},
        "elsewhere/all": "every claim under other settings: results/audit/elsewhere.html",
    }


def of_figures() -> list[str]:
    """The targets of figures, those of many first, and the audit; see `Plan.target`."""
    return [*(f"figures/{name}" for name in _after_figures()), "audit"]


def of_elsewhere() -> list[str]:
    """The targets of claims under other settings."""
    return [f"{cards.ELSEWHERE}/{name}" for name in ("all", *elsewhere())]


def names() -> list[str]:
    """Every target, those of many figures first."""
    return [*of_figures(), "report", "paper", "site", f"{cards.ELSEWHERE}/all"]


def constraints(at: str) -> dict[str, str]:
    """The regular expressions of the wildcards of all rules; `at`: the folder of the scale, see `plan.folder`."""
    drawn, measured = [*figures(), *optional()], [card.name for card in cards.experiments(optional=True)]
    return {
        "experiment": "|".join(measured),
        "figure": "|".join(drawn),
        "claimed": "|".join(pages()),
        "matrixed": "|".join(elsewhere()),
        "pictured": "|".join([*drawn, "audit"]),
        "block": r"[^/]+",
        "unknown_at": r"([a-z]+/)?",
        "unknown_figure": rf"(?!({'|'.join(drawn)}|audit|elsewhere)\.({'|'.join((*KINDS, CODE))})$)[^/]+",
        "unknown_experiment": rf"(?!({'|'.join(measured)}|logs|benchmarks|audit|paper|elsewhere)/)[^/]+",
        "unknown_page": rf"(?!({'|'.join((*pages(), 'claims', 'audit', 'elsewhere'))})\.({'|'.join(TABLES)})$)[^/]+",
        "unknown_target": r"[\w.-]+",
        "unknown_place": r"(figures|results|paper)/.+" if at else r"smoke/.+",
    }


def of_variants(experiments: list[str]) -> str:
    """The regular expression of the names of experiments under other settings."""
    return rf"{cards.ELSEWHERE}/({'|'.join(experiments)})/[a-z0-9_]+"


def rules_of_variants() -> dict[str, tuple[tuple[str, ...], str]]:
    """The rules that run variants: {name: (stages, regular expression of the experiments that have these)}."""
    by_stages: dict[tuple[str, ...], list[str]] = {}
    for card in cards.experiments(optional=True):
        by_stages.setdefault(card.stages, []).append(card.name)
    return {f"variant_{'_'.join(stages)}": (stages, of_variants(names)) for stages, names in by_stages.items()}


def no_such_figure(file: str) -> str:
    """A sentence for a file that is asked for under figures/ and is none of a figure."""
    name, _, kind = file.rpartition(".")
    if name in (*figures(), *optional(), "audit"):
        return f"figures are not made as .{kind}: build figures/{name}, which makes {', '.join(KINDS)}"
    return cards.unknown_name(name if kind in KINDS else file, _after_figures(), "figure")


def no_such_page(file: str) -> str:
    """A sentence for a file that is asked for under results/audit/ and is no page of claims."""
    name, _, kind = file.rpartition(".")
    if name in pages():
        return f"pages of claims are not made as .{kind}: ask for .html, .md or .csv"
    if name in cards.names():
        return f"{name} makes no claim: there is no claims.py in {cards.place(name)}"
    return cards.unknown_name(name if kind in TABLES else file, pages(), "page of claims")


def no_such_experiment(name: str) -> str:
    """A sentence for a folder that is asked for under results/."""
    return cards.unknown_name(name, [card.name for card in cards.experiments(optional=True)])


def no_such_elsewhere(name: str) -> str:
    """A sentence for what is asked for under elsewhere/ and cannot be tried under other settings."""
    if name in cards.names() and "claims" not in cards.read(name).modules:
        return f"{name} makes no claim: there is no claims.py in {cards.place(name)}"
    return cards.unknown_name(name, ["all", *elsewhere()], "experiment with claims")


def no_such_place(target: str, at: str) -> str:
    """A sentence for a file that another scale has; `at`: the folder of this one."""
    if not at:
        return f"{target} is built with --config scale=smoke"
    name = target.removeprefix("figures/")
    if target.startswith("figures/") and name.partition(".")[0] not in (*figures(), *optional(), "audit"):
        return cards.unknown_name(name, _after_figures(), "figure")
    return f"with scale={at.rstrip('/')} this is {at}{target}"


def no_such_target(target: str) -> str:
    """A sentence for anything else, with the target that was meant where one is close."""
    drawn = {name: f"figures/{name}" for name in (*figures(), *optional())}
    close = difflib.get_close_matches(target, [*drawn, *names()], n=1)
    hint = f"did you mean {drawn.get(close[0], close[0])!r}?" if close else f"known are {listed(names())}"
    return f"unknown target {target!r}: {hint}"


def _after_figures() -> list[str]:
    """What may follow figures/ in a target."""
    return ["all", "audit", *cards.SECTIONS, *figures(), *optional()]
