"""Many models: the jobs give what one call gives, the configuration is checked, and the atlas counts right."""

import json
import re

import pandas as pd
import pytest
from small_models import TEXTS, bert, changed_config, rotary

from attnsvm import inspect
from attnsvm.inspect import several, steps
from attnsvm.system.errors import UserError

DRAWN = {"draws": 1, "nuclear_inputs": 5}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Two models, an encoder and one with rotary positions, and texts."""
    place = tmp_path_factory.mktemp("several")
    bert(place / "encoder")
    rotary("mistral", place / "decoder")
    (place / "texts").write_text("\n".join(TEXTS))
    return place


@pytest.fixture(scope="module")
def asked(place):
    return several.resolve({"models": {n: place / n for n in ("encoder", "decoder")}, "texts": place / "texts"} | DRAWN)


def by_jobs(asked, name, out):
    """The files of a model, as its jobs write them."""
    model, layers, become = asked.models[name], [], None
    for number in range(model.layers):
        new, layer, measured = (str(out / f"{number}.{kind}") for kind in ("pt", "pickle", "json"))
        steps.pass_texts(model.folder, number, asked.texts, asked.settings, become, new, layer)
        steps.measure(name, layer, asked.settings, measured)
        layers.append(measured)
        become = new
    steps.gather(name, model.folder, layers, asked.settings, str(out))


@pytest.fixture(scope="module")
def folders(place, asked):
    for name in asked.models:
        by_jobs(asked, name, place / f"of {name}")
    return {name: place / f"of {name}" for name in asked.models}


@pytest.mark.parametrize("name", ["encoder", "decoder"])
def test_the_jobs_write_what_one_call_writes(name, place, asked, folders):
    inspect.inspection(place / name, TEXTS, **DRAWN).save(place / "whole")
    for file in ("heads.parquet", "heads.csv"):
        assert (folders[name] / file).read_bytes() == (place / "whole" / file).read_bytes(), file
    ours, theirs = (
        re.sub(r'"made":\{.*?\}|"(Columns of loss_added|without_loss":").*?"', "", (folder / "heads.html").read_text())
        for folder in (folders[name], place / "whole")
    )
    assert ours == theirs


def test_the_atlas_has_a_row_for_each_layer_and_control(folders, place):
    steps.compare({n: folder / "heads.parquet" for n, folder in folders.items()}, place / "atlas.csv")
    rows, table = pd.read_csv(place / "atlas.csv"), pd.read_csv(folders["decoder"] / "heads.csv")
    (row,) = rows.query(
        "model == 'decoder' and layer == 1 and control == 'aligned with their SVM better than mismatched heads'"
    ).to_dict("records")
    mine = table[table["layer"] == 1]
    assert row["passed"] == (mine.alignment_fro > mine.alignment_mismatched_most_fro).sum()
    assert row["heads"] == 4
    assert row["part"] == 3


@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        ({}, "models: expected names and folders, as in --config 'models={small: path/of/a/model}'"),
        ({"model": {"a": "b"}}, "model: there is no such setting of the module inspect; did you mean models?"),
        ({"models": {"a/b": "c"}}, "models: 'a/b' cannot name a folder; letters, digits and . _ + - can"),
        ({"models": {"logs": "c"}}, "models: 'logs' cannot name a folder; letters, digits and . _ + - can"),
        ({"models": {"a": "{0}/none"}}, "{0}/none: there is no config.json in it, so it holds no model"),
        ({"texts": "{0}/none.txt"}, "texts: there is no file {0}/none.txt"),
        ({"draws": -1}, "draws: expected a number from 0 on, got -1"),
    ],
)
def test_a_wrong_configuration_is_one_sentence(config, sentence, place, tmp_path):
    def filled(given):
        return json.loads(json.dumps(given).replace("{0}", str(place)))

    with pytest.raises(UserError) as caught:
        several.resolve(filled({"models": {"encoder": "{0}/encoder"}} | config if config else {}))
    assert str(caught.value) == sentence.replace("{0}", str(place))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda folder: changed_config(folder, model_type="xlnet"), "{}: a model of the kind 'xlnet' adds terms that"),
        (
            lambda folder: changed_config(folder, num_hidden_layers=10**9),
            "{}/config.json: says that there are 1000000000 layers, and there are weights of 2",
        ),
        (lambda folder: changed_config(folder, num_hidden_layers=0), "{}/config.json: expected the number of layers"),
        (lambda folder: (folder / "model.safetensors").unlink(), "{}: there is no model.safetensors in it"),
    ],
)
def test_a_model_that_cannot_be_read_is_known_before_any_job_runs(change, sentence, tmp_path):
    change(bert(tmp_path))
    with pytest.raises(UserError) as caught:
        several.resolve({"models": {"a": str(tmp_path)}})
    assert str(caught.value).startswith(sentence.format(tmp_path))


@pytest.mark.parametrize("folder", ["inspect/a", "link"])
def test_no_table_is_written_into_a_model(folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    bert(tmp_path / "inspect" / "a")
    (tmp_path / "link").symlink_to(tmp_path / "inspect" / "a")
    with pytest.raises(UserError) as caught:
        several.resolve({"models": {"a": folder}})
    where = f"lies in the folder of the model, {folder}; choose another name, or move the model"
    assert str(caught.value) == f"models: a: inspect/a, where its table is written, {where}"
    several.resolve({"models": {"b": "inspect/a"}})  # a folder beside the model


@pytest.mark.parametrize("given", ["", None])
def test_a_model_without_a_folder_is_named(given):
    with pytest.raises(UserError, match=r"^models: small: expected a folder, got none$"):
        several.resolve({"models": {"small": given}})


def test_a_job_knows_the_files_of_its_model_and_what_memory_a_layer_needs(place, asked):
    names = {path.rpartition("/")[2] for path in asked.models["decoder"].files}
    assert names == {"config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"}
    assert asked.models["decoder"].layers == 2
    assert several.LEAST_MB <= asked.models["decoder"].megabytes < 1.01 * several.LEAST_MB
