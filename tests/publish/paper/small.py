"""A manuscript of one page, with the numbers of a run of one figure; no process is started."""

import json

import pandas as pd

from attnsvm.audit.evaluation import KINDS, VERDICTS
from attnsvm.pipeline import cards
from attnsvm.pipeline.configuration import resolve
from attnsvm.publish.paper import declared, manuscript, numbers
from attnsvm.svm.verdict import COUNTS

FIGURE = "cone"
DECLARED = """# numbers
cone.last: {figure: cone, where: {kind: a}, last: step, column: value, interval: [low, high], digits: 3}
cone.most: {figure: cone, column: value, take: max, unit: runs}
"""
TEXT = """#import "/paper/style.typ": *
#show: manuscript.with("A title", [An abstract.])

= First <sec:first>
In @fig:cone the value is #within("cone.last"), and #n("cone.most") at most; after #n("settings.cone.problems.d") and
#n("audit.stays"). It #verdict("stays"), says @one2020, as @sec:first does #claim("stays").

#fig("cone")[A cone.]
#bibliography("references.bib")

= Supplement <sec:audit>
#audit-table()

= Sources <sources>
#sources-table()
"""
BIBLIOGRAPHY = "@article{one2020,\n title = {A Title}, author = {One, A.}, journal = {J}, year = {2020}\n}\n"
SVG = """<svg xmlns="http://www.w3.org/2000/svg" width="90pt" height="20pt" viewBox="0 0 90 20">
<rect width="9" height="9"/></svg>"""
CITATION = "authors:\n  - name: Somebody\nversion: 1.2.3\nrepository-code: https://example.org/x\n"
WORDS = {
    **dict.fromkeys(("sharpens", "seeds", "printed", "also"), "") | {"kind": "theorem"},
    **{"key": "stays", "group": "paper", "short": "stays", "statement": "It stays in `W`.", "check": "share"},
    **{
        "measured": "share",
        "wanted": "≥ {}",
        "why": "half",
        "main": "yes: it does",
        "further": "yes: the control does not",
        "figure": "cone",
    },
}
NUMBERS = {"instances": 40, "value": 0.9, "low": 0.8, "high": 0.95, "published": None, "threshold": 0.5}
ROW = {**WORDS, **NUMBERS, "verdict": "holds"}
CHECKED = {
    "solve": "fro",
    "solved": 5,
    "infeasible": 2,
    "remote": 1,
    "uncertified": 1,
    "rational": 3,
    "largest_gap": 1e-12,
}


def repository(folder, text=TEXT, declared=DECLARED, bibliography=BIBLIOGRAPHY):
    """A clone with nothing but a manuscript."""
    (folder / "paper/sections").mkdir(parents=True)
    style = (manuscript.ROOT / manuscript.STYLE).read_text("utf-8")
    files = {"main.typ": text, "numbers.yaml": declared, "references.bib": bibliography, "style.typ": style}
    for name, content in files.items():
        (folder / "paper" / name).write_text(content)
    (folder / "CITATION.cff").write_text(CITATION)
    return folder


def run(folder, experiments, row=None, table=None):
    """The files of a run that numbers are read from."""
    (folder / "figures").mkdir(parents=True)
    (folder / "results/audit").mkdir(parents=True)
    rows = [
        {"kind": "a", "step": step, "value": value, "low": 0.1, "high": 0.2}
        for step, value in ((1, 3.0), (9, 0.123456))
    ]
    (pd.DataFrame(rows) if table is None else table).to_csv(folder / "figures/cone.csv", index=False)
    (folder / "figures/cone.svg").write_text(SVG)
    pd.DataFrame([ROW | (row or {})]).to_csv(folder / "results/audit/claims.csv", index=False)
    cost = {"experiments": {"cone": {"cost": {"descent": {"cpu_s": 90.0, "jobs": 3, "wall_s": 1.0}, "svm": None}}}}
    (folder / "figures/audit.json").write_text(json.dumps(cost))
    for name in experiments:
        (folder / f"results/{name}").mkdir(parents=True)
        pd.DataFrame([CHECKED]).to_csv(folder / f"results/{name}/certificates.csv", index=False)
    return folder


SMOKE = resolve({"scale": "smoke"})
FULL = resolve({})


def whole():
    """What numbers.json says of every key that there can be: values aside, which a run gives."""
    keys = [claim.key for card in cards.claiming(optional=True) for claim in card.claims]
    ends = ("", *(f".{name}" for name in numbers.OF_A_ROW))
    rows = ("asked", *(verdict.replace(" ", "_") for verdict in VERDICTS))
    names = [*declared.read(), *(f"audit.{key}{end}" for key in keys for end in ends)]
    names += [f"{place}.{name}" for place in ("rows", *(f"rows.{kind}" for kind in KINDS)) for name in rows]
    names += [f"rows.{name}" for name in ("sharper", "sharper_hold", "sharpened")]
    names += [f"certificates.{name}" for name in ("checked", *COUNTS, "largest_gap")]
    found = dict.fromkeys(names) | dict(numbers._settings(FULL)) | dict(numbers._cost({"experiments": {}}))
    return {"numbers": found, "claims": [{"key": key} for key in keys]}
