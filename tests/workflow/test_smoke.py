"""The smoke pipeline, run for real: what it builds, again, elsewhere, and cut in another way."""

import hashlib
import json

import jsonschema
import pandas as pd
import pytest
import yaml
from harness import BUILT, NOTHING, ROOT, build, clone, dry, scheduled, snapshot

from attnsvm.building import cards
from attnsvm.building.configuration import resolve

FIGURES = [card.name for card in cards.figures()]
SMOKE = resolve({"scale": "smoke"})


@pytest.mark.parametrize("figure", FIGURES)
def test_every_figure_is_built_with_the_columns_of_its_card(built, figure):
    stem = built / BUILT / "figures" / figure
    assert stem.with_suffix(".pdf").read_bytes().startswith(b"%PDF")
    assert stem.with_suffix(".png").read_bytes().startswith(b"\x89PNG")
    assert b"<svg" in stem.with_suffix(".svg").read_bytes()[:1000]
    table = pd.read_csv(stem.with_suffix(".csv"))
    assert set(table.columns) == set(cards.read(figure).columns)
    assert len(table)
    assert not table.columns[table.isna().all()].tolist(), "columns without a single value"


def test_certified_and_published_rows_stand_side_by_side(built):
    table = pd.read_csv(built / BUILT / "figures/svm_rank.csv")
    counts = table.groupby(["n", "T", "d", "norm"])["method"].agg(set)
    assert all(methods == {"certified", "published"} for methods in counts)
    certified = table[table.method == "certified"]
    assert (certified.gap_max.dropna() <= 1e-7).all()
    assert certified.rank_mean[certified.feasible == 0].isna().all()


@pytest.mark.parametrize("name", [card.name for card in cards.experiments()])
def test_nothing_is_left_unproven_and_every_instance_ends_somehow(built, name):
    folder = built / BUILT / "results" / name
    proofs = pd.read_csv(folder / "certificates.csv")
    assert proofs.uncertified.sum() == 0
    assert (proofs.largest_gap.dropna() <= 1e-6).all()
    assert pd.read_csv(folder / "cells.csv").instances.sum() > 0
    assert pd.read_csv(folder / "outcomes.csv").instances.sum() > 0


def test_the_second_run_has_nothing_to_do(copy):
    assert NOTHING in build(copy).stdout


def test_a_smoke_run_leaves_the_papers_folders_alone(built):
    assert not (built / "results").exists()
    assert not (built / "figures").exists()


def test_beside_every_figure_lies_where_it_comes_from(built):
    schema = yaml.safe_load((ROOT / "attnsvm/building/provenance.schema.yaml").read_text())
    results = built / BUILT / "results"
    for name in [*FIGURES, "audit"]:
        found = json.loads((built / BUILT / f"figures/{name}.json").read_text())
        jsonschema.validate(found, schema)
        text = json.dumps(found["config"], sort_keys=True)
        assert found["config_sha256"] == hashlib.sha256(text.encode()).hexdigest()
        behind = cards.read(name).draws if name != "audit" else [card.name for card in cards.experiments()]
        assert set(found["experiments"]) == set(behind)
        assert found["config"]["figures"] == SMOKE["figures"]
        for experiment, record in found["experiments"].items():
            assert found["config"]["experiments"][experiment] == SMOKE["experiments"][experiment]
            counted = pd.read_csv(results / experiment / "outcomes.csv").groupby("outcome").instances.sum()
            assert record["outcomes"] == counted.to_dict()
            proofs = pd.read_csv(results / experiment / "certificates.csv")
            for status in ("solved", "infeasible", "uncertified"):
                assert record["svm_certificates"][status] == proofs[status].sum()
            cells = pd.read_csv(results / experiment / "cells.csv")
            assert record["instances_tried"] == cells.instances.sum()
            assert record["seeds"] == {"first": cells.first_seed.min(), "last": cells.last_seed.max()}
            card = cards.read(experiment)
            for stage, cost in record["cost"].items():
                jobs = 0 if stage not in card.stages else 1 if stage == "measures" else card.blocks
                assert (cost["jobs"] if cost else 0) == jobs, (experiment, stage)
                assert not cost or cost["wall_s"] > 0


def test_the_provenance_of_svm_rank_in_numbers_worked_out_by_hand(built):
    """Three numbers of tokens or inputs (two share a shape) at three dimensions, four instances each."""
    found = json.loads((built / BUILT / "figures/svm_rank.json").read_text())
    assert found["experiments"]["svm_rank"]["instances_tried"] == 3 * 3 * 4
    assert "attnsvm/svm/nuclear.py" in found["code"]["files"]
    assert "attnsvm/experiments/svm_rank/figure.py" in found["code"]["files"]
    others = [name for name in found["code"]["files"] if "experiments" in name and "svm_rank" not in name]
    assert set(others) <= {"attnsvm/experiments/__init__.py"}


def test_a_deleted_figure_is_rebuilt_alone_and_to_the_byte(copy):
    target = copy / BUILT / "figures/svm_rank.png"
    before = target.read_bytes()
    target.unlink()
    assert scheduled(dry(copy, "figures/all")) == {("figure", "svm_rank"), ("provenance", "svm_rank")}
    build(copy, "figures/svm_rank")
    assert target.read_bytes() == before


def test_another_rebuild_in_another_folder_gives_the_same_bytes(built, tmp_path):
    folder = clone(built, tmp_path / "elsewhere")
    assert not (folder / BUILT).exists()
    build(folder)
    drawn = [f"{BUILT}/{base}/**/*.{kind}" for base in ("figures", "results") for kind in ("csv", "png", "pdf", "svg")]
    ours, theirs = (
        {name: hashlib.sha256(data).hexdigest() for name, data in snapshot(where, *drawn).items()}
        for where in (folder, built)
    )
    assert len(ours) >= 4 * len(FIGURES) + 3 * len(cards.experiments())
    assert ours == theirs


def test_another_split_into_blocks_gives_the_same_bytes(built, tmp_path):
    folder = clone(built, tmp_path / "split")
    figures = {"svm_rank": 3, "local_convergence": 5, "trajectories": 2, "token_count": 1, "norm_growth": 3, "cone": 2}
    figures = {name: count for name, count in figures.items() if name in FIGURES}
    assert all(cards.read(name).blocks != count for name, count in figures.items())
    scatter = [f"{name}={count}" for name, count in figures.items()]
    build(folder, *(f"figures/{name}" for name in figures), "--set-scatter", *scatter, "--set-threads", "descent=2")
    for figure in figures:
        ours, theirs = ((base / BUILT / f"figures/{figure}.csv").read_bytes() for base in (folder, built))
        assert ours == theirs, figure
