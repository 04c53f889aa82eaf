"""The smoke pipeline, run for real: what it builds, again, elsewhere, and cut in another way."""

import hashlib
import json

import jsonschema
import pandas as pd
import yaml
from harness import BUILT, NOTHING, ROOT, build, clone, few, snapshot

from attnsvm import command
from attnsvm.pipeline import cards
from attnsvm.pipeline.configuration import resolve
from attnsvm.svm.verdict import STATUSES

FIGURES = [card.name for card in few(cards.figures())]
SMOKE = resolve({"scale": "smoke"})


def test_certified_and_published_rows_stand_side_by_side(built):
    table = pd.read_csv(built / BUILT / "figures/svm_rank.csv")
    counts = table.groupby(["n", "T", "d", "norm"])["method"].agg(set)
    assert all(methods == {"certified", "published"} for methods in counts)
    certified = table[table.method == "certified"]
    assert (certified.gap_max.dropna() <= 1e-7).all()
    assert certified.value[certified.feasible == 0].isna().all()


def test_the_second_run_has_nothing_to_do(copy):
    assert NOTHING in build(copy).stdout


def test_a_smoke_run_leaves_the_papers_folders_alone(built):
    assert not (built / "results").exists()
    assert not (built / "figures").exists()


def test_beside_every_figure_lies_where_it_comes_from(built):
    schema = yaml.safe_load((ROOT / "attnsvm/pipeline/provenance.schema.yaml").read_text())
    results = built / BUILT / "results"
    for name in [*FIGURES, "audit"]:
        found = json.loads((built / BUILT / f"figures/{name}.json").read_text())
        jsonschema.validate(found, schema)
        text = json.dumps(found["config"], sort_keys=True)
        assert found["config_sha256"] == hashlib.sha256(text.encode()).hexdigest()
        behind = cards.read(name).draws if name != "audit" else [card.name for card in few(cards.experiments())]
        assert set(found["experiments"]) == set(behind)
        assert found["config"]["figures"] == SMOKE["figures"]
        for experiment, record in found["experiments"].items():
            assert found["config"]["experiments"][experiment] == SMOKE["experiments"][experiment]
            counted = pd.read_csv(results / experiment / "outcomes.csv").groupby("outcome").instances.sum()
            assert record["outcomes"] == counted.to_dict()
            proofs = pd.read_csv(results / experiment / "certificates.csv")
            for word in ("solved", "infeasible", "remote", "uncertified", "rational"):
                assert record["svm_certificates"][word] == proofs[word].sum()
            assert (record["svm_certificates"]["largest_gap"] or 0.0) <= 1e-7
            cells = pd.read_csv(results / experiment / "cells.csv")
            assert record["instances_tried"] == cells.instances.sum()
            assert record["seeds"] == {"first": cells.first_seed.min(), "last": cells.last_seed.max()}
            card = cards.read(experiment)
            for stage, cost in record["cost"].items():
                jobs = 0 if stage not in card.stages else 1 if stage == "measures" else card.blocks
                assert (cost["jobs"] if cost else 0) == jobs, (experiment, stage)
                assert not cost or cost["wall_s"] > 0


def test_every_answer_of_the_build_is_judged_again_from_its_files(built, capfd):
    assert command.main(["verify", str(built / BUILT / "results")]) == 0
    said = capfd.readouterr().out
    counted = [pd.read_csv(path)[list(STATUSES)].to_numpy().sum() for path in built.rglob("certificates.csv")]
    (whole,) = (line for line in said.splitlines() if line.endswith(" stage files, 0 files failed"))
    assert whole.startswith(f"{sum(counted):,} answers: ")


def test_the_provenance_of_svm_rank_in_numbers_worked_out_by_hand(built):
    """Three numbers of tokens or inputs (two share a shape) at three dimensions, four instances each."""
    found = json.loads((built / BUILT / "figures/svm_rank.json").read_text())
    assert found["experiments"]["svm_rank"]["instances_tried"] == 3 * 3 * 4
    assert "attnsvm/svm/methods/interior_point.py" in found["code"]["files"]
    assert "attnsvm/experiments/paper/svm_rank/figure.py" in found["code"]["files"]
    others = [name for name in found["code"]["files"] if "experiments" in name and "svm_rank" not in name]
    assert set(others) <= {"attnsvm/experiments/__init__.py"}


def test_another_split_into_blocks_gives_the_same_bytes(built, tmp_path):
    """Of one experiment, with the threads that a profile gives; of all: tests/experiments/test_every_smoke_run.py."""
    folder, name = clone(built, tmp_path / "split"), "local_convergence"
    assert not (folder / BUILT).exists()
    assert cards.read(name).blocks != 3
    build(folder, f"figures/{name}", "--set-scatter", f"{name}=5", "--set-threads", "descent=2")
    drawn = [f"{BUILT}/figures/{name}.{kind}" for kind in ("csv", "png", "pdf", "svg")]
    assert snapshot(folder, *drawn) == snapshot(built, *drawn)
    assert len(list((folder / BUILT / "results" / name).glob("seeds-*"))) == 3, "six seeds, at most five blocks"
