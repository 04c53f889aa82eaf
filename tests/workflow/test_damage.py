"""Damaged files: found by name, never read, and built anew to the byte."""

import shutil
from itertools import cycle, product

import pytest
from harness import BUILT, DAMAGE, PRODUCTS, build, damage, dry, few, restored, scheduled, snapshot

from attnsvm.pipeline import blocks, cards
from attnsvm.pipeline.configuration import resolve
from attnsvm.pipeline.plan import earlier
from attnsvm.system import checksums
from attnsvm.system.errors import UserError
from attnsvm.system.store import load_cells, load_csv, load_table

SMOKE = resolve({"scale": "smoke"})
LOADERS = {".npz": load_cells, ".parquet": load_table, ".csv": load_csv}
ENDS = f"damaged ({checksums.DIFFERS}); it is built anew"
# One file of each kind: where it lies, and the rule that writes it.
KINDS = {
    "results/{name}/{block}/problems.npz": "problems",
    "results/{name}/{block}/descent.npz": "descent",
    "results/{name}/{block}/svm.npz": "svm",
    "results/{name}/measures.parquet": "measures",
    "results/{name}/instances.parquet": "measures",
    "results/{name}/outcomes.csv": "measures",
    "results/{name}/cells.csv": "measures",
    "results/{name}/certificates.csv": "measures",
    "figures/{name}.csv": "figure",
    "figures/{name}.png": "figure",
    "figures/{name}.pdf": "figure",
    "figures/{name}.svg": "figure",
    "figures/{name}.json": "provenance",
}
OF_THE_AUDIT = {
    "results/audit/claims.csv": "claims",
    "results/audit/audit.html": "claims",
    "figures/audit.png": "audit_figure",
    "figures/audit.pdf": "audit_figure",
    "figures/audit.svg": "audit_figure",
}
STAGES = ("problems", "descent", "svm", "measures")


def first_block(card):
    return next(iter(blocks.cut(card, SMOKE)))


def one_of_each():
    """{path: (rule, experiment)}: every kind of file, those of a rule from one experiment; and those of the audit."""
    cheap = [card for card in few(cards.experiments()) if card.draws == (card.name,) and card.blocks <= 2]
    found = {}
    for rule in dict.fromkeys(KINDS.values()):
        able = [card for card in cheap if rule not in STAGES or rule in card.stages]
        card = next(card for card in able if card.name not in {name for _, name in found.values()})
        for kind in (kind for kind, own in KINDS.items() if own == rule):
            found[f"{BUILT}/{kind.format(name=card.name, block=first_block(card))}"] = rule, card.name
    return found | {
        f"{BUILT}/{name}": (rule, "claim" if rule == "claims" else "audit") for name, rule in OF_THE_AUDIT.items()
    }


FILES = one_of_each()


@pytest.mark.parametrize(
    ("name", "how"), list(dict.fromkeys([*zip(FILES, cycle(DAMAGE)), *product([*FILES][:1], DAMAGE)]))
)
def test_damage_is_found_by_name_and_never_read(workshop, monkeypatch, name, how):
    monkeypatch.chdir(workshop)
    path = workshop / name
    with restored(workshop, [name]):
        damage(path, how)
        assert checksums.damaged([BUILT]) == [name]
        if load := LOADERS.get(path.suffix):
            with pytest.raises(UserError, match=rf"{name}: damaged or truncated .*; delete it and run snakemake again"):
                load(name)
    assert checksums.damaged([BUILT]) == []


def after(job):
    """The jobs that read what a job makes, and those after them: {(rule, name)}, of the figures alone."""
    rule, name = job
    if rule == "provenance":
        return set()
    drawing = [card.name for card in few(cards.figures()) if name in card.draws] if rule in STAGES else [name]
    stages = cards.read(name).stages if rule in STAGES else ()
    later = {(stage, name) for stage in stages if rule in earlier(cards.read(name), stage)}
    figures = {("figure", figure) for figure in drawing} if rule in STAGES else set()
    return later | figures | {("provenance", figure) for figure in drawing}


def test_a_dry_run_names_every_damaged_file_and_its_job_and_touches_nothing(workshop):
    """One file of each kind, its size and date unchanged: their jobs and what follows."""
    files = {name: job for name, job in FILES.items() if name.removeprefix(f"{BUILT}/") not in OF_THE_AUDIT}
    with restored(workshop, files):
        for name in files:
            damage(workshop / name)
        before = snapshot(workshop, *files)
        run = dry(workshop, "figures/all")
        assert snapshot(workshop, *files) == before
    assert run.stdout.count(ENDS) == len(files)
    assert all(f"{name}: {ENDS}" in run.stdout for name in files)
    assert scheduled(run) == {found for job in files.values() for found in (job, *after(job))}
    assert not list((workshop / BUILT).rglob("*.tmp"))


def test_the_next_run_rebuilds_what_is_damaged_to_the_byte(built, tmp_path):
    """Every kind of file, each in its way."""
    folder = shutil.copytree(built, tmp_path / "run")
    for k, name in enumerate(FILES):
        damage(folder / name, list(DAMAGE)[k % len(DAMAGE)])
    run = build(folder)
    for name in FILES:
        assert f"{name}: {ENDS}" in run.stdout
    assert snapshot(folder, *PRODUCTS) == snapshot(built, *PRODUCTS)
