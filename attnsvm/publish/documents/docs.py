"""`python -m attnsvm.publish.documents.docs` (or `make docs`): the pages that follow from the cards.

The README's table of claims and verdicts, and figures/README.md with its small pictures.
Pictures, verdicts and profiles/times.json are made from what is built, for what has none yet: another processor draws
other pixels and takes other times, which is no reason to change those that are there. --anew (`make gallery`) makes
all of them anew. With --check nothing is written: the command says which page is not what the cards say, and ends
with status 1.
"""

import csv
import io
import json
import math
import re
import sys
from pathlib import Path

import jinja2
import pandas as pd

from attnsvm.audit.evaluation import in_words
from attnsvm.pipeline import captions, cards
from attnsvm.pipeline.configuration import resolve
from attnsvm.pipeline.setup import environment_check
from attnsvm.system import machine, signals
from attnsvm.system.errors import UserError
from attnsvm.system.writing import save_text

ROOT, TEMPLATES = cards.HERE.parents[1], Path(__file__).parent / "templates"
GALLERY, COLOURS = ROOT / "figures/gallery", 256
TIMES = ROOT / "profiles/times.json"
# The claims that the README tells of: six at most, whose sentences need no other.
TRUE = {"fails": "Not so: ", "undecided": "Not known: ", "still moving": "Not yet: "}  # what makes a statement true
TOLD = ("W_to_frobenius", "KQ_to_nuclear", "KQ_to_nuclear_joint", "global_grows", "adam_sign", "trained_random")


def generated() -> dict[str, str]:
    """The text of every page by its path, from the cards at the paper's scale."""
    return {
        "figures/README.md": _rendered("gallery.md.j2"),
        "README.md": _with("README.md", "verdicts", _rendered("readme_verdicts.md.j2")),
    }


def _with(page: str, what: str, text: str) -> str:
    """A page with `text` between its two comments that name `what`."""
    begin, end = f"<!-- {what}: made by `make docs` -->\n", f"<!-- end of {what} -->\n"
    before, found, rest = (ROOT / page).read_text("utf-8").partition(begin)
    _, closed, after = rest.partition(end)
    if not (found and closed):
        raise UserError(f"{page}: the lines {begin.strip()!r} and {end.strip()!r} are missing")
    return f"{before}{begin}\n{text}\n{end}{after}"


def small_pictures(source: Path, target: Path, anew: bool) -> None:
    """A copy, of half the size, of every built png of a card, and of the audit's, that has none yet; `anew`: of all."""
    from PIL import Image

    target.mkdir(parents=True, exist_ok=True)
    for name in ("audit", *(card.name for card in cards.figures(optional=True))):
        path = source / f"{name}.png"
        if path.exists() and (anew or not (target / path.name).exists()):
            half = Image.open(path).convert("RGB").reduce(2)
            half.quantize(COLOURS).save(target / path.name, optimize=True)


def verdicts(source: Path, target: Path, anew: bool) -> None:
    """The verdict of every claim of the built audits, of every run's and of optional figures', by key.

    A claim whose audit is not built keeps its line; so does, but for `anew`, every claim that has one.
    """
    built = [source / f"{name}.csv" for name in ("claims", *(card.name for card in cards.optional()))]
    known = {claim.key for card in cards.claiming(optional=True) for claim in card.claims}
    found: dict[str, str] = {}
    for path in (target, *built):
        read = {key: verdict for key, verdict in known_verdicts(path).items() if key in known}
        found = found | read if anew else read | found
    lines = [f"{key},{verdict}\n" for key, verdict in sorted(found.items())]
    save_text(target, "".join(["key,verdict\n", *lines]), checksum=False)


def stage_times(source: Path, target: Path, anew: bool) -> None:
    """The times of every stage, out of the provenance of the built audit: what `attnsvm profile` reckons with.

    Those of experiments that have none yet are added; `anew`: all are written, with the pace of this machine now, and
    those of experiments that are gone go.
    """
    if source.exists():
        experiments = json.loads(source.read_text("utf-8"))["experiments"]
        kept = {name: {key: one[key] for key in ("seeds", "cost")} for name, one in experiments.items()}
        before: dict = json.loads(target.read_text("utf-8")) if target.exists() else {}
        kept = kept if anew else kept | before.get("experiments", {})
        pace = round(environment_check.pace(machine.processors())[0], 3) if anew else before.get("pace", 1.0)
        written = json.dumps({"experiments": kept, "pace": pace}, indent=1, sort_keys=True)
        save_text(target, written + "\n", checksum=False)


def _rendered(template: str) -> str:
    resolved = resolve({})
    environment = jinja2.Environment(
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        loader=jinja2.FileSystemLoader(TEMPLATES),
    )
    environment.filters |= {"cell": cell, "prose": captions.prose}
    text = environment.get_template(template).render(
        sections=cards.sections(optional=True),
        caption=lambda card: captions.caption(card, resolved),
        pictured=lambda card: (GALLERY / f"{card.name}.png").exists(),
        place=cards.place,
        seconds=_seconds,
        told=_told(),
        counted=_counted(),
    )
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def known_verdicts(path: Path = GALLERY / "verdicts.csv") -> dict[str, str]:
    """The verdict of every claim in a table, by key; none where there is no table."""
    rows = csv.DictReader(io.StringIO(path.read_text("utf-8"))) if path.exists() else []
    return {row["key"]: row["verdict"] for row in rows}


def _told() -> list[dict[str, str]]:
    """The claims of `TOLD` with their verdicts and figures.

    Raises:
        UserError: one of them is no claim any more.
    """
    homes = {claim.key: (claim, card) for card in cards.claiming(optional=True) for claim in card.claims}
    gone = [key for key in TOLD if key not in homes]
    if gone:
        raise UserError(f"attnsvm/publish/documents/docs.py: TOLD: there is no claim {gone[0]!r}")
    found, rows = known_verdicts(), [(key, *homes[key]) for key in TOLD]
    return [
        {
            "claim": TRUE.get(found.get(key, ""), "") + claim.statement,
            "kind": claim.kind,
            "figure": card.name,
            "verdict": found.get(key, "not built"),
        }
        for key, claim, card in rows
    ]


def _counted() -> str:
    """How many claims of each kind, as first asked, have which verdict."""
    known, asked = known_verdicts(), [claim for card in cards.claiming() for claim in card.claims]
    kept = [(one.kind, known[one.key], one.sharpens) for one in asked if one.key in known]
    return in_words(pd.DataFrame(kept, columns=["kind", "verdict", "sharpens"]))


def _seconds(card: cards.Card) -> str:
    """What a figure takes from clean on two cores: as measured, or from the times of its stages; "–" where unknown."""
    known = json.loads(TIMES.read_text("utf-8"))["experiments"]
    if card.seconds or not {*card.draws} <= known.keys():
        return f"{card.seconds} s" if card.seconds else "–"
    wall = sum(cost["wall_s"] for name in card.draws for cost in known[name]["cost"].values() if cost)
    return f"about {math.ceil(wall / 2 / 5 + 1) * 5} s"


def cell(text: str) -> str:
    """A text inside a table."""
    return " ".join(text.split()).replace("|", "\\|")


def main(arguments: list[str]) -> int:
    if "--check" not in arguments:
        small_pictures(ROOT / "figures", GALLERY, "--anew" in arguments)
        verdicts(ROOT / "results/audit", GALLERY / "verdicts.csv", "--anew" in arguments)
        stage_times(ROOT / "figures/audit.json", TIMES, "--anew" in arguments)
    try:
        made = generated()
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    stale = [
        path for path, text in made.items() if not (ROOT / path).exists() or (ROOT / path).read_text("utf-8") != text
    ]
    if "--check" in arguments:
        for path in stale:
            print(f"{path} is not what the cards say: run make docs", file=sys.stderr)
        return 1 if stale else 0
    for path in stale:
        save_text(ROOT / path, made[path], checksum=False)
    return 0


if __name__ == "__main__":
    sys.exit(signals.status(lambda: main(sys.argv[1:])))
