"""What can be asked for: the targets, the files that they are made of, and what is answered to a wrong one."""

import difflib
import re

from attnsvm.pipeline import cards
from attnsvm.pipeline.log_format import listed

PICTURES = ("pdf", "png", "svg")
KINDS = (*PICTURES, "csv", "json")  # of a figure
TABLES = ("csv", "html")  # of an audit, and of claims under other settings
PLACE = re.compile(r"((?:runs/([^/]+)/)?(?:(smoke)/)?)(.*)")  # the folder of a build (`plan.folder`), and what is in it
TRIED = ("paper", "beyond", "literature")  # the sections whose claims `elsewhere/all` tries under other settings


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
    """The figures whose claims can be tried under other settings; a card without a variant says `usual: []` alone."""
    claiming = [card for card in cards.claiming(optional=True) if card.elsewhere != {"usual": []}]
    return [card.name for card in claiming if card.draws and "outside" not in card.modules]


def tried() -> list[str]:
    """Those of `elsewhere/all`."""
    return [name for name in elsewhere() if (card := cards.read(name)).section in TRIED and not card.optional]


def of_figures() -> list[str]:
    """The targets of figures, those of many first, and the audit; see `Plan.target`."""
    return [*(f"figures/{name}" for name in _after_figures()), "audit"]


def of_elsewhere() -> list[str]:
    """The targets of claims under other settings."""
    return [f"{cards.ELSEWHERE}/{name}" for name in ("all", *elsewhere())]


def names() -> list[str]:
    """Every target, those of many figures first."""
    return [*of_figures(), "report", "paper", "site", f"{cards.ELSEWHERE}/all"]


def constraints() -> dict[str, str]:
    """The regular expressions of the wildcards of all rules."""
    drawn = [*figures(), *optional()]
    return {
        "experiment": "|".join(_measured()),
        "figure": "|".join(drawn),
        "claimed": "|".join(pages()),
        "matrixed": "|".join(elsewhere()),
        "pictured": "|".join([*drawn, "audit"]),
        "block": r"[^/]+",
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


def wrong(target: str, at: str) -> str:
    """A sentence for a target that is the name of no rule and no file that a job makes; "" for one that may be.

    Args:
        at: the folder of the build, see `plan.folder`.
    """
    asked, _, _, path = PLACE.findall(target)[0]
    first, _, rest = path.partition("/")
    name, _, file = rest.partition("/")
    if not rest or (first != "figures" and difflib.get_close_matches(first, ["figures"], cutoff=0.8)):
        return no_such_target(target)
    if first == cards.ELSEWHERE:
        return _no_such_elsewhere(rest)
    if asked not in ("", at):
        return f"{target} is built with --config {settings(asked)}"
    drawn = "|".join(_pictured())
    if first == "figures" and not re.fullmatch(rf"({drawn})\.({'|'.join(KINDS)})", rest):
        return _no_such_figure(rest)
    if asked != at and first in ("figures", "results", "paper"):
        return f"with {settings(at)} this is {at}{target}"
    if first == "results" and name == "audit":
        return _no_such_page(file)
    if first == "results" and name not in (*_measured(), "logs", "paper", cards.ELSEWHERE):
        return cards.unknown_name(name, _measured())
    return ""


def settings(at: str) -> str:
    """What puts a build into a folder, as it follows --config."""
    _, run, scale, _ = PLACE.findall(at)[0]
    return " ".join(f"{key}={value}" for key, value in (("run", run), ("scale", scale)) if value)


def _no_such_figure(file: str) -> str:
    """A sentence for a file that is asked for under figures/ and is none of a figure."""
    name, _, kind = file.rpartition(".")
    if name in _pictured():
        return f"figures are not made as .{kind}: build figures/{name}, which makes {', '.join(KINDS)}"
    return cards.unknown_name(name if kind in KINDS else file, _after_figures(), "figure")


def _no_such_page(file: str) -> str:
    """A sentence for a file under results/audit/ that is no page of claims; "" for one that is."""
    name, _, kind = file.rpartition(".")
    known = pages()
    if kind in TABLES and name in (*known, "claims", "audit", cards.ELSEWHERE):
        return ""
    if name in known:
        return f"pages of claims are not made as .{kind}: ask for .html or .csv"
    return _no_claims(name) or cards.unknown_name(name if kind in TABLES else file, known, "page of claims")


def _no_such_elsewhere(name: str) -> str:
    """A sentence for what is asked for under elsewhere/ and cannot be tried under other settings."""
    return _no_claims(name) or cards.unknown_name(name, ["all", *elsewhere()], "experiment with variants")


def _no_claims(name: str) -> str:
    """A sentence for an experiment that makes no claim; "" for another one, and for what is none."""
    silent = name in cards.names() and "claims" not in cards.read(name).modules
    return f"{name} makes no claim: there is no claims.py in {cards.place(name)}" if silent else ""


def no_such_target(target: str) -> str:
    """A sentence for a word that is no target, with the target that was meant where one is close."""
    drawn = {name: f"figures/{name}" for name in (*figures(), *optional())}
    close = difflib.get_close_matches(target, [*drawn, *names()], n=1)
    hint = f"did you mean {drawn.get(close[0], close[0])!r}?" if close else f"known are {listed(names())}"
    return f"unknown target {target!r}: {hint}"


def _after_figures() -> list[str]:
    """What may follow figures/ in a target."""
    return ["all", "audit", *cards.SECTIONS, *figures(), *optional()]


def _pictured() -> tuple[str, ...]:
    """What has pictures: every figure and the audit."""
    return (*figures(), *optional(), "audit")


def _measured() -> list[str]:
    """The experiments that have a folder of results."""
    return [card.name for card in cards.experiments(optional=True)]
