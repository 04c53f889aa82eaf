"""The smoke pipeline, run for real: what it builds, again, elsewhere, and cut in another way."""

import hashlib
import json

import jsonschema
import pandas as pd
import pytest
import yaml
from harness import BUILT, NOTHING, ROOT, build, clone, dry, scheduled, snapshot

from attnsvm.building import cards, stages
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
    assert "attnsvm/svm/methods/interior_point.py" in found["code"]["files"]
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


def test_the_audit_of_the_same_tables_has_the_same_bytes_in_another_process(built, tmp_path):
    """Tables and figures: tests/experiments/test_every_smoke_run.py and tests/plots/test_built_figures.py."""
    results, names = built / BUILT / "results/audit", {"csv": "claims.csv", "html": "audit.html", "md": "audit.md"}
    stages.claims({key: str(tmp_path / name) for key, name in names.items()}, str(built / BUILT))
    stages.audit_figure(SMOKE["figures"], str(results / "claims.csv"), str(tmp_path / "audit"))
    ours = [results / name for name in names.values()]
    ours += [built / BUILT / f"figures/audit.{kind}" for kind in ("png", "pdf", "svg")]
    assert [path.name for path in ours if path.read_bytes() != (tmp_path / path.name).read_bytes()] == []


def test_another_split_into_blocks_gives_the_same_bytes(built, tmp_path):
    """Of one experiment, with the threads that a profile gives; of all: tests/experiments/test_every_smoke_run.py."""
    folder, name = clone(built, tmp_path / "split"), "local_convergence"
    assert not (folder / BUILT).exists()
    assert cards.read(name).blocks != 3
    build(folder, f"figures/{name}", "--set-scatter", f"{name}=5", "--set-threads", "descent=2")
    drawn = [f"{BUILT}/figures/{name}.{kind}" for kind in ("csv", "png", "pdf", "svg")]
    assert snapshot(folder, *drawn) == snapshot(built, *drawn)
    assert len(list((folder / BUILT / "results" / name).glob("seeds-*"))) == 3, "six seeds, at most five blocks"
