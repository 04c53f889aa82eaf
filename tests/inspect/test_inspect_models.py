"""Models are read as they are: the W that is read gives their own attention, and what cannot be read is said."""

import json
import re
import shutil
import socket

import numpy as np
import pandas as pd
import pytest
import torch
import transformers
from small_models import TEXTS, bert, changed_config, changed_weights, gpt2, read, rotary
from tokenizers import Tokenizer

from attnsvm import inspect
from attnsvm.inspect import models
from attnsvm.inspect.layers import selections
from attnsvm.system.errors import UserError


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    return bert(tmp_path_factory.mktemp("bert"))


@pytest.fixture(scope="module")
def decoder(tmp_path_factory):
    return gpt2(tmp_path_factory.mktemp("gpt2"))


@pytest.fixture
def model_folder(encoder, tmp_path):
    return shutil.copytree(encoder, tmp_path / "model")


@pytest.mark.parametrize("kind", ["bert", "gpt2"])
def test_the_logits_are_those_of_the_model(kind, tmp_path):
    model, layers = read(kind, tmp_path, torch.float32), models.read(tmp_path, TEXTS[:6], position="all")
    ids = [one.ids for one in Tokenizer.from_file(str(tmp_path / "tokenizer.json")).encode_batch(TEXTS[:6])]
    with torch.no_grad():
        out = model(input_ids=torch.tensor(ids), output_attentions=True)
    attention = [one.double().numpy() for one in out.attentions]
    for layer in layers:
        inputs = layer.inputs
        for h, W in layer.heads.items():
            selected = selections(inputs, W)
            for i in range(len(inputs)):
                theirs = attention[layer.number][inputs.text[i], h, inputs.position[i], : len(inputs.tokens[i])]
                logits = inputs.tokens[i] @ W @ inputs.queries[i]
                ours = np.exp(logits - logits.max())
                # theirs in float32: 1e-7, amplified by logits of some tens
                np.testing.assert_allclose(ours / ours.sum(), theirs, rtol=1e-4, atol=1e-6)
                assert selected[i] == theirs.argmax() or np.ptp(np.sort(theirs)[-2:]) < 1e-6


@pytest.mark.parametrize("settings", [{"scale_attn_weights": False}, {"scale_attn_by_inverse_layer_idx": True}])
def test_scales_of_a_decoder_are_read_too(settings, tmp_path):
    """`read` compares with the model's own logits by itself: another scale would not pass."""
    folder = gpt2(tmp_path, **settings)
    assert [layer.number for layer in models.read(folder, TEXTS[:3])] == [0, 1]


def test_a_wrong_w_does_not_pass_the_comparison(encoder, monkeypatch):
    right = models.Attention.weights
    monkeypatch.setattr(models.Attention, "weights", lambda self: [1.001 * W for W in right(self)])
    with pytest.raises(UserError, match="is not the softmax of"):
        models.read(encoder, TEXTS[:3])


def test_a_decoder_sees_only_what_came_before_and_its_first_position_has_no_choice(decoder):
    (layer,) = models.read(decoder, TEXTS[:4], layers=[1], position="all")
    inputs = layer.inputs
    assert [len(X) for X in inputs.tokens] == (inputs.position + 1).tolist()
    assert inputs.position.min() == 1
    assert all(marks[0] and not marks[1:].any() for marks in inputs.delimiters)
    with pytest.raises(UserError, match=r"^position 0: text 1 has positions 1 to 6, where there is a choice$"):
        models.read(decoder, TEXTS[:4], position=0)


def test_one_position_a_text_is_drawn_the_same_in_every_layer_and_run(encoder):
    first, second = models.read(encoder, TEXTS, seed=3)
    assert (first.inputs.position == second.inputs.position).all()
    assert (first.inputs.position == models.read(encoder, TEXTS, layers=[0], seed=3)[0].inputs.position).all()
    assert (first.inputs.position != models.read(encoder, TEXTS, layers=[0], seed=4)[0].inputs.position).any()
    assert len(set(first.inputs.position)) > 3


def test_nothing_is_fetched(encoder, monkeypatch):
    def refuse(*_):
        raise AssertionError("a connection was asked for")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    assert len(models.read(encoder, TEXTS[:2])) == 2


KEY = "encoder.layer.{}.attention.self.key.weight"


def nan(folder):
    changed_weights(folder, lambda weights: weights[KEY.format(0)][0].fill_(torch.nan))


def without_key(folder):
    changed_weights(folder, lambda weights: weights.pop(KEY.format(1)))


def without(name):
    def change(folder):
        for path in folder.glob(name):
            path.unlink()

    return change


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (without("config.json"), ": there is no config.json in it, so it holds no model"),
        (without("model.safetensors"), ": there is no model.safetensors in it"),
        (without("token*"), ": there is no tokenizer in it (tokenizer.json or vocab.txt)"),
        (nan, f"/model.safetensors: the weights {KEY.format(0)} have NaN or infinity"),
        (without_key, f"/model.safetensors: the weights {KEY.format(1)} are not in it"),
    ],
)
def test_a_model_that_cannot_be_read_is_one_sentence(spoil, sentence, model_folder):
    spoil(model_folder)
    with pytest.raises(UserError, match=f"^{re.escape(str(model_folder) + sentence)}$"):
        models.read(model_folder, TEXTS[:3])


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"model_type": "fnet"}, "'fnet' has no softmax attention, so it selects no tokens"),
        (
            {"model_type": "diffllama"},
            "'diffllama' has attention that is no single softmax, or is linear, in some layers",
        ),
        ({"model_type": "xlnet"}, "'xlnet' adds terms that depend on distance to its logits"),
        ({"model_type": "my-own"}, "'my-own' has an unknown layout"),
        ({"auto_map": {"AutoModel": "x.MyBert"}}, "'bert' is computed by code of its own (MyBert), which is not run"),
        ({"model_type": None}, "None has an unknown layout"),
        ({"is_decoder": True}, "'bert' is used as a decoder, which is not read"),
    ],
)
def test_a_kind_of_model_that_is_not_read_is_one_sentence(changes, why, model_folder):
    path = changed_config(model_folder, **changes)
    sentence = f"{path}: a model of the kind {why}; docs/inspect.md names the kinds that are read"
    with pytest.raises(UserError, match=f"^{re.escape(sentence)}$"):
        models.read(model_folder, TEXTS[:3])


def test_a_text_of_one_token_is_named(decoder, encoder):
    with pytest.raises(UserError, match=r"^text 2 \('cat'\): expected at least two tokens, the tokenizer makes 1$"):
        models.read(decoder, ["the cat", "cat"])
    with pytest.raises(UserError, match=r"^text 1 \(' '\): expected a word, the tokenizer finds only delimiters$"):
        models.read(encoder, [" "])


def test_a_word_that_the_tokenizer_does_not_know_is_no_delimiter(encoder):
    known, unknown = TEXTS[0], f"{TEXTS[0]} xyzzy"
    (layer, *_) = models.read(encoder, [known, unknown], position="last")
    for marks, words in zip(layer.inputs.delimiters, layer.inputs.words, strict=True):
        assert np.flatnonzero(marks).tolist() == [0, len(words) - 1]
        assert (words[0], words[-1]) == ("[CLS]", "[SEP]")
    assert layer.inputs.position.tolist() == [len(words) - 1 for words in layer.inputs.words]
    assert "[UNK]" in layer.inputs.words[1]


@pytest.mark.parametrize(
    ("kind", "fits", "wrong"),
    [
        ("bert", {"gradient_checkpointing": False, "pooler_type": "first", "_num_labels": 2}, {"sliding_window": 5}),
        ("bert", {"n_head": 2}, {"attn_logit_softcapping": 30.0}),
        ("bert", {"n_layer": 2}, {"use_rope": False}),
        ("bert", {"output_past": True}, {"_attention_scale": 3.0}),
        ("mpt", {"attn_config": {"attn_impl": "flash", "alibi": True}}, {"attn_config": {"alibi_bias_max": 4}}),
        ("llama", {"partial_rotary_factor": None, "layer_norm_eps": None}, {"partial_rotary_factor": 0.5}),
        ("bert", {"pruned_heads": {}}, {"pruned_heads": {"0": [1]}}),
        ("falcon", {"n_head": 4, "n_layer": 2}, {"n_head": 2}),
        ("deepseek_v3", {"scoring_func": "sigmoid", "topk_method": "noaux_tc"}, {"topk_method": "greedy"}),
    ],
)
def test_a_setting_that_is_not_known_is_refused(kind, fits, wrong, tmp_path):
    read(kind, tmp_path, torch.float32)
    assert models.read(changed_config(tmp_path, **fits), TEXTS[:2])
    (name,) = wrong
    with pytest.raises(
        UserError, match=f"config.json: {name}[^:]*: not known for a model of the kind '{kind}', so it may "
    ):
        models.read(changed_config(tmp_path, **wrong), TEXTS[:2])


def test_a_scale_of_frequencies_without_a_type_is_refused(tmp_path):
    rotary("llama, YaRN", tmp_path)
    (first, _), given = models.read(tmp_path, TEXTS[:2]), json.loads((tmp_path / "config.json").read_text())
    older = {**given.pop("rope_parameters"), "type": "yarn"}  # as most models on the hub have it
    changed_config(
        tmp_path, rope_parameters=None, rope_theta=older.pop("rope_theta"), rope_scaling=older, use_mrope=False
    )
    assert (models.read(tmp_path, TEXTS[:2])[0].heads[0].way.theta == first.heads[0].way.theta).all()
    rotary("llama, YaRN", tmp_path)
    with pytest.raises(UserError, match=r"config.json: rope_parameters.factor: not known"):
        models.read(changed_config(tmp_path, rope_parameters={"rope_theta": 50.0, "factor": 4.0}), TEXTS[:2])


@pytest.mark.parametrize("name", ["adapter_config.json", "adapter_model.safetensors", "my-lora.bin", "fr/adapters.npz"])
def test_an_adapter_that_would_not_be_applied_is_named(name, model_folder):
    (model_folder / "explorations.json").write_text("{}")
    assert models.read(model_folder, TEXTS[:2])
    (model_folder / name).parent.mkdir(exist_ok=True)
    (model_folder / name).touch()
    with pytest.raises(UserError, match=f"model: {name} belongs to an adapter, which is not applied; merge it into"):
        models.read(model_folder, TEXTS[:2])


def test_a_model_in_memory_is_shown_as_its_folder(tmp_path, monkeypatch):
    folder, asks = bert(tmp_path), {"norms": "fro", "draws": 1, "layers": [1]}
    made = transformers.AutoModelForMaskedLM.from_pretrained(folder)
    own = Tokenizer.from_file(str(folder / "tokenizer.json"))
    before, logging = made.config.to_dict(), transformers.utils.logging
    monkeypatch.setattr(logging, "_tqdm_active", True)
    called = transformers.AutoTokenizer.from_pretrained(folder)
    called("the cat sees a dog", truncation=True, max_length=4)
    found = inspect.inspection(torch.compile(made.train()), TEXTS[:12], tokenizer=called, **asks)
    assert made.config.to_dict() == before
    assert logging.is_progress_bar_enabled()
    pd.testing.assert_frame_equal(found.table, inspect.heads(folder, TEXTS[:12], **asks))
    reasons = [inspect.why(model, TEXTS[:12], tokenizer=how) for model, how in ((made, own), (folder, None))]
    pd.testing.assert_frame_equal(*reasons)
    assert "Heads of &lt;span&gt;" in found._repr_html_()
    for model, how, said in ((made, None, "tokenizer"), (folder, own, "tokenizer"), (torch.nn.ReLU(), own, "model")):
        with pytest.raises(UserError, match=f"^{said}: expected"):
            inspect.heads(model, TEXTS, tokenizer=how)


@pytest.mark.parametrize(
    ("spoil", "what"),
    [
        (lambda it: it.register_forward_hook(print), "a hook in the model itself"),
        (
            lambda it: setattr(it.encoder.layer[1].attention.self, "scaling", 9.0),
            "scaling in encoder.layer.1.attention",
        ),
        (lambda it: setattr(it.pooler.dense, "forward", print), "forward in pooler.dense"),
        (lambda it: setattr(it.pooler, "dense", torch.nn.Sequential()), "a Sequential in pooler.dense"),
        (lambda it: it.embeddings.register_buffer("soft", torch.ones(1)), "soft in embeddings"),
        (lambda it: it.embeddings.position_ids.add_(1), "position_ids in embeddings"),
        (lambda it: setattr(it, "__class__", type("BertModel", (type(it),), {})), "its class is not of transformers"),
    ],
)
def test_a_model_in_memory_that_its_weights_do_not_make_is_refused(spoil, what, encoder):
    made = transformers.AutoModel.from_pretrained(encoder)
    spoil(made)
    with pytest.raises(UserError, match=f"^model: BertModel computes otherwise than what its library saves .{what}"):
        inspect.heads(made, TEXTS, tokenizer=Tokenizer.from_file(str(encoder / "tokenizer.json")))
