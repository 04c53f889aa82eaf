"""workflow/inspect as its users call it: a job for each layer, then nothing to do, and sentences for what cannot be."""

import re

import pandas as pd
import pytest
from harness import NOTHING, ROOT, as_typed, jobs
from small_models import TEXTS, bert

HOST = """
module inspect:
    snakefile:
        "{}"
    prefix:
        "attention"
    config:
        {}


use rule * from inspect as inspect_*
"""
RULES = ROOT / "workflow/inspect/Snakefile"


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    place = tmp_path_factory.mktemp("inspect")
    bert(place / "one", layers=1)
    bert(place / "two", layers=2)
    (place / "texts").write_text("\n".join(TEXTS))
    return place


def run(place, models, *more):
    settings = ("texts=texts", "norms=fro", "draws=1")
    return as_typed(place, *more, "-s", str(RULES), "-c", "1", "-C", f"models={models}", *settings)


def test_a_model_is_inspected_and_of_another_only_its_own_layers_are_missing(place):
    done = run(place, "{first: one}")
    assert done.returncode == 0, done.stdout
    table = pd.read_parquet(place / "inspect/first/heads.parquet")
    assert list(table["head"]) == [0, 1]
    assert set(pd.read_csv(place / "inspect/atlas.csv")["model"]) == {"first"}
    page = (place / "inspect/first/heads.html").read_text()
    assert re.search(r'"command":"[^"]*first: one', page)
    assert not list((place / "inspect").rglob("*.pickle"))
    assert not list((place / "inspect").rglob("*.pt"))
    assert NOTHING in run(place, "{first: one}", "-n").stdout
    wanted = run(place, "{first: one, second: two}", "-n")
    assert jobs(wanted) == {"pass_texts": 2, "measure": 2, "gather": 1, "compare": 1}
    assert "second: measure the heads of layer 1" in wanted.stdout


def test_as_a_module_it_writes_under_its_prefix_and_reads_models_from_outside(place):
    (place / "Snakefile").write_text(HOST.format(RULES, "{'models': {'first': 'one'}, 'texts': 'texts'}"))
    planned = as_typed(place, "-n")
    assert planned.returncode == 0, planned.stdout
    assert jobs(planned) == {f"inspect_{name}": 1 for name in ("pass_texts", "measure", "gather", "compare")}
    assert "attention/inspect/first/heads.parquet" in planned.stdout


@pytest.mark.parametrize(
    ("models", "target", "sentence"),
    [
        ("{first: none}", [], "error: none: there is no config.json in it, so it holds no model"),
        (
            "{first: one, first: two}",
            [],
            "error: --config models={first: one, first: two}: this is not YAML (the key "
            "'first' occurs twice); write it as in --config 'figures={dpi: 72}'",
        ),
        ("{first: one}", ["inspect/third/heads.csv"], "error: inspect/third: known models are first"),
    ],
)
def test_what_cannot_be_is_one_sentence_before_any_job(models, target, sentence, place):
    ended = run(place, models, *target)
    assert ended.returncode == 1
    assert sentence in ended.stdout.splitlines()
    assert "Traceback" not in ended.stdout
