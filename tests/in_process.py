"""The smoke run of every experiment in one process: what the jobs of the pipeline call, with what the plan gives them.

Snakemake itself runs a few experiments by day (`built`) and all of them by night (workflow/test_whole_house.py): a
process for each of some 350 jobs takes four times as long.
"""

import json
from contextlib import nullcontext, suppress
from pathlib import Path
from unittest import mock

import legible
from harness import FEW

from attnsvm.pipeline import cards, job_records, modules, provenance, targets
from attnsvm.pipeline.captions import caption
from attnsvm.pipeline.configuration import resolve
from attnsvm.pipeline.plan import Plan, job_of
from attnsvm.pipeline.running import auditing, drawing, stages, tables
from attnsvm.plots import style
from attnsvm.system.errors import UserError

SMOKE = resolve({"scale": "smoke"})
SEEN = "seen.json"  # {name of a figure: what is wrong with it}
FIGURES = [card.name for card in cards.figures()]
AGAIN = {*FEW, *FIGURES[::11]}  # those that other tests draw again, by Snakemake or here, to the byte


def run_all(folder: Path, subsets=AGAIN) -> None:
    """Fill `folder` as the targets figures/all and audit do, but for the logs and the times.

    Args:
        subsets: the figures whose pdf holds a subset of each font, as all have it. To make these takes longer than the
            rest of a pdf; the others are of Type 3, glyph by glyph.
    """
    plan = Plan(SMOKE, {card.name: card.blocks for card in cards.experiments(optional=True)})

    def at(paths):
        if isinstance(paths, str):
            return str(folder / paths)
        return {key: at(path) for key, path in paths.items()}

    # FEW last: a process beside this one builds them (`built`) and then gives us its compiled loops.
    for card in sorted(cards.experiments(), key=lambda card: card.name in FEW):
        for block in plan.blocks(card.name):
            for stage in card.stages[:-1]:
                inputs = at(plan.block_files(stage, card.name, block))
                given = plan.parts(card.name, block) if stage == "problems" else inputs
                output = at(f"{plan.at}results/{card.name}/{block}/{stage}.npz")
                getattr(stages, stage)(card.name, plan.settings(stage, card.name, block), given, output)
            if "measures" in plan.gathered_files(card.name):
                inputs = at(plan.block_files("measures", card.name, block))
                output = at(f"{plan.at}results/{card.name}/{block}/measures.npz")
                tables.measures_of_block(card.name, plan.settings("measures", card.name), inputs, output)
        tables.measures(card.name, plan.settings("measures", card.name), *measured(plan, card.name, at))
    seen, save, looks = {}, drawing.save_figure, style._rc

    def look(figure, stem, dpi):
        name = Path(stem).name
        seen[name] = legible.faults(figure, SMOKE["figures"]["width"])
        type_3 = {} if name in subsets else {"pdf.fonttype": 3}
        with mock.patch.object(style, "_rc", lambda size: looks(size) | type_3):
            save(figure, stem, dpi)

    # In this process: one of its own for each pdf would load its writer anew.
    with mock.patch.object(drawing, "save_figure", look), mock.patch.object(style, "_beside", nullcontext):
        for card in cards.figures():
            settings = plan.params("figure")["settings"](figure=card.name)
            counted = [at(path) for path in plan.counted("certificates", card.name)]
            stem = at(f"{plan.at}figures/{card.name}")
            drawing.figure(card.name, settings, at(plan.tables(card.name)), stem, counted)
    (folder / SEEN).write_text(json.dumps(seen))
    pages = {kind: f"{plan.at}results/audit/{name}" for kind, name in AUDIT.items()}
    auditing.claims(at(pages), at(plan.at))
    drawing.audit_figure(SMOKE["figures"], at(pages["csv"]), at(f"{plan.at}figures/audit"))
    for name in [*(card.name for card in cards.figures()), "audit"]:
        behind = targets.behind(name)
        provenance.write(
            {other: SMOKE["experiments"][other] for other in behind},
            {other: list(plan.blocks(other)) for other in behind},
            SMOKE["figures"],
            modules.files_behind(name),
            at(f"{plan.at}results"),
            [at(path) for path in plan.drawn_files(name)],
            at(f"{plan.at}figures/{name}.json"),
            plan.all_outside(name),
        )
    save_records(folder, plan)


def save_records(folder: Path, plan: Plan) -> None:
    """Note beside every output what its job would have noted."""
    for path in [path for path in (folder / plan.at).rglob("*") if path.is_file() and not path.name.startswith(".")]:
        name = str(path.relative_to(folder))
        with suppress(UserError):  # no output
            sums = {one: job_records.sha256_of(str(folder / one)) for one in read_by(name, plan)}
            job_records.note([str(path)], plan.made(name), sums)


def read_by(path: str, plan: Plan) -> list[str]:
    """The files that the job reads which writes a file; `UserError` where none does."""
    rule, wildcards = job_of(path, plan.at)
    files = plan.inputs(rule)(**wildcards).values()
    return [one for found in files for one in ([found] if isinstance(found, str) else found)]


AUDIT = {"csv": "claims.csv", "html": "audit.html"}
MEASURED = {
    "table": "measures.parquet",
    "instances": "instances.parquet",
    "outcomes": "outcomes.csv",
    "cells": "cells.csv",
    "certificates": "certificates.csv",
}


def measured(plan, name, at):
    """The blocks of an experiment by stage, and the files that gather them."""
    files = plan.gathered_files(name)
    blocks = [at(dict(zip(files, paths, strict=True))) for paths in zip(*files.values(), strict=True)]
    return blocks, at({key: f"{plan.at}results/{name}/{file}" for key, file in MEASURED.items()})


def captions() -> dict[str, str]:
    """The captions of all figures at smoke scale."""
    return {card.name: caption(card, SMOKE) for card in cards.figures(optional=True)}
