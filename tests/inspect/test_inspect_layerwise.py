"""Layer by layer a model has the numbers of the whole one, and needs the memory of a layer; what it lacks is said."""

import json
import re
import shutil
import time

import numpy as np
import pandas as pd
import pytest
import torch
from safetensors.torch import load_file, save_file
from small_models import EVERY, TEXTS, bert, changed_config, changed_weights, passed, read, rotary
from tokenizers import Tokenizer

from attnsvm import inspect
from attnsvm.inspect import models
from attnsvm.inspect.attention import attentions
from attnsvm.inspect.models import Reading
from attnsvm.system.errors import UserError

SHARDS = ("model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors")


def saved(name, folder):
    """A model in a folder, in float32, in several shards."""
    read(name, folder, torch.float32).save_pretrained(folder, max_shard_size="4KB")
    (folder / "model.safetensors").unlink()
    return folder


@pytest.mark.parametrize("name", EVERY)
def test_layer_by_layer_gives_the_bytes_of_the_whole_model(name, tmp_path):
    """In float32, as everybody runs it, the model has these probabilities to 1e-4, and in memory the folder's table."""
    folder = tmp_path / "model"
    whole, plain = (read(name, folder, dtype) for dtype in (torch.float64, torch.float32))
    saved(name, folder)
    assert len(list(folder.glob("model-*.safetensors"))) > 2
    reading = models.Reading(folder, TEXTS[:3])
    found = attentions(whole, name.partition(",")[0])
    with torch.no_grad():
        seen = plain.eval()(input_ids=torch.tensor(reading.walk.texts), output_attentions=True).attentions
    assert [len(batch) for batch in reading.walk.batches] == [3]
    expected = [passed(whole, found, reading.walk.texts)]
    for number in range(len(found)):
        with reading.walk.layer(number) as attention:
            for head, theirs in zip(attention.weights(), found[number].weights(), strict=True):
                ours, theirs = (one if isinstance(one, np.ndarray) else one.key for one in (head, theirs))
                np.testing.assert_array_equal(ours, theirs)
            for batch, (states, probabilities) in enumerate(expected):
                run = reading.walk.run(batch)
                np.testing.assert_allclose(run[1], seen[number].numpy(), atol=1e-4)
                for ours, theirs in zip(run, (states[number], probabilities[number]), strict=True):
                    assert ours.tobytes() == theirs.tobytes(), (number, batch)
    asks = {"norms": "fro", "draws": 0, "layers": [1], "heads": [1]}
    live = inspect.heads(plain, TEXTS, tokenizer=Tokenizer.from_file(str(folder / "tokenizer.json")), **asks)
    pd.testing.assert_frame_equal(live, inspect.heads(folder, TEXTS, **asks))


def test_in_memory_are_the_weights_of_one_layer_and_the_words_of_the_texts(tmp_path, monkeypatch):
    folder = saved("llama", tmp_path)
    counts = []
    run = models.Walk.run

    def counting(walk, text):
        model = walk.model
        counts.append(sum(one.numel() for one in model.parameters() if not one.is_meta))
        return run(walk, text)

    monkeypatch.setattr(models.Walk, "run", counting)
    reading = models.Reading(folder, TEXTS[:1])
    assert len(list(reading)) == 2
    model = reading.walk.model
    of_one = sum(one.numel() for one in model.layers[1].parameters())
    words, width = len(np.unique(np.concatenate(reading.walk.texts))), model.config.hidden_size
    assert words < model.config.vocab_size
    assert set(counts) == {of_one + words * width + width}  # the last: the norm after all layers
    assert all(one.is_meta for one in model.layers.parameters())


INDEX = "model.safetensors.index.json"
NO_INDEX = f"{{}}/{INDEX}: expected JSON with weight_map, the file of every weight; fetch it again"
OUT_OF_PLACE = "have no place in the model that config.json describes"


def shard_of(folder, name, change=lambda index: None):
    """The shard that has these weights; the index is changed."""
    path = folder / INDEX
    index = json.loads(path.read_text())["weight_map"]
    shard = index.get(name)
    change(index)
    path.write_text(json.dumps({"weight_map": index}))
    return shard


UP = "layers.1.mlp.up_proj.weight"


def without_weights_anywhere(folder):
    changed_weights(folder, lambda weights: weights.pop(UP), shard_of(folder, UP, lambda index: index.pop(UP)))


def with_integers(folder):
    changed_weights(folder, lambda weights: weights.update({UP: weights[UP].to(torch.int8)}), shard_of(folder, UP))


def with_fewer_words_than_the_tokenizer_has(folder):
    changed_config(folder, vocab_size=5)
    name = "embed_tokens.weight"
    changed_weights(folder, lambda weights: weights.update({name: weights[name][:5].clone()}), SHARDS[0])


SPOILT = {  # what is done, or the settings that are changed; and the sentence
    "a shard is missing": (
        lambda folder: (folder / SHARDS[1]).unlink(),
        f"{{}}/{SHARDS[1]}: there is no such file, and {INDEX} says that it has {{}} weights; fetch it",
    ),
    "the index is no JSON": (lambda folder: (folder / INDEX).write_text("{"), f"{{}}/{INDEX}: is not JSON ({{}})"),
    "the index is of another kind": (lambda folder: (folder / INDEX).write_text('{"weight_map": ["a"]}'), NO_INDEX),
    "a setting is of another kind": (
        {"num_hidden_layers": "two"},
        "{}/config.json: Field 'num_hidden_layers' expected int, got str",
    ),
    "a shard lacks weights": (
        lambda folder: changed_weights(folder, lambda weights: weights.pop("norm.weight"), SHARDS[1]),
        f"{{}}/{SHARDS[1]}: the weights norm.weight are not in it, where {INDEX} says they are; fetch it again",
    ),
    "weights are a single number": (
        lambda folder: changed_weights(folder, lambda held: held.update({"norm.weight": torch.tensor(1.0)}), SHARDS[1]),
        f"{{}}/{SHARDS[1]}: the weights norm.weight are a single number, and config.json asks for 16",
    ),
    "the index lacks weights": (without_weights_anywhere, f"{{}}/{INDEX}: the weights {UP} are not in it"),
    "a shard is cut short": (
        lambda folder: (folder / SHARDS[1]).write_bytes((folder / SHARDS[1]).read_bytes()[:-4]),
        f"{{}}/{SHARDS[1]}: cannot be read (",
    ),
    "another width": (
        {"intermediate_size": 20},
        "{}/model-0000{}-of-00002.safetensors: the weights layers.0.mlp.down_proj.weight are 16 × 16, and config.json "
        "asks for 16 × 20",
    ),
    "fewer layers": (
        {"num_hidden_layers": 1},
        f"{{}}-00002-of-00002.safetensors: the weights layers.1.{{}} {OUT_OF_PLACE}",
    ),
    "a quantised configuration": (
        {"quantization_config": {"quant_method": "gptq", "bits": 4}},
        "{}: a model of the kind 'llama' has quantised weights (gptq in config.json), which are not read; give it in "
        "float32, float16 or bfloat16; docs/inspect.md names the kinds that are read",
    ),
    "quantised weights": (
        with_integers,
        f"{{}}/{SHARDS[1]}: the weights {UP} are stored as I8, a quantised format that is not read; give them as F32, "
        "F16 or BF16",
    ),
    "fewer words than the tokenizer has": (with_fewer_words_than_the_tokenizer_has, "{}: its tokenizer makes token "),
}


@pytest.fixture(scope="module")
def llama(tmp_path_factory):
    folder = tmp_path_factory.mktemp("llama")
    rotary("llama", folder, torch.float32)
    weights = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    index = {name: SHARDS[name.startswith(("layers.1", "norm"))] for name in weights}
    for shard in SHARDS:
        save_file({name: one for name, one in weights.items() if index[name] == shard}, folder / shard)
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": index}))
    return folder


@pytest.mark.parametrize("what", SPOILT)
def test_weights_that_cannot_be_read_are_one_sentence_before_any_layer_is_run(what, llama, tmp_path, monkeypatch):
    spoil, sentence = SPOILT[what]
    folder = shutil.copytree(llama, tmp_path / "model")
    if callable(spoil):
        spoil(folder)
    else:
        changed_config(folder, **spoil)
    monkeypatch.setattr(models.Walk, "run", lambda *_: pytest.fail("a layer was run"))
    with pytest.raises(UserError) as caught:
        models.read(folder, TEXTS[:3])
    said = str(caught.value)
    assert "\n" not in said
    pattern = re.escape(sentence).replace(re.escape("{}"), "(.*)")
    assert re.match(pattern, said)


def test_what_no_layer_computes_with_may_be_there(llama, tmp_path):
    """A head for words, a table of angles, and the parts of a whole model whose names begin with the model's."""
    folder = shutil.copytree(llama, tmp_path / "model")
    weights = {f"model.{name}": one for shard in SHARDS for name, one in load_file(folder / shard).items()}
    more = {"lm_head.weight": torch.ones(2, 2), "model.layers.0.self_attn.rotary_emb.inv_freq": torch.ones(2)}
    for path in folder.glob("*.safetensors*"):
        path.unlink()
    save_file(weights | more, folder / "model.safetensors")
    for ours, theirs in zip(models.read(folder, TEXTS[:3]), models.read(llama, TEXTS[:3]), strict=True):
        assert ours.inputs.queries.tobytes() == theirs.inputs.queries.tobytes()
    for name, why in (("model.embed_positions.weight", OUT_OF_PLACE), ("norm.weight", "are there as model.norm")):
        save_file(weights | more | {name: torch.ones(16)}, folder / "model.safetensors")
        with pytest.raises(UserError, match=f"the weights {name} {why}|model.norm.weight are there as norm.weight"):
            models.read(folder, TEXTS[:3])


VAST = {  # what config.json says, of which kind of model; no file is larger for it
    "layers": ("llama", {"num_hidden_layers": 10**9}, "says that there are 1000000000 layers, and there are weights"),
    "layers of T5": ("t5", {"num_layers": 10**9}, "says that there are 1000000000 layers, and there are weights of 2"),
    "layers of one weight": ("albert", {"num_hidden_layers": 10**9}, "layers, and at most 128 are read"),
    "groups": ("albert", {"num_hidden_groups": 10**9}, "describes many more weights than the"),
    "layers in a layer": ("albert", {"inner_group_num": 10**9}, "describes many more weights than the"),
    "experts": ("mixtral", {"num_local_experts": 10**12}, "the weights|can be made|cannot be put together"),
    "words": ("llama", {"vocab_size": 10**15}, "the weights embed_tokens.weight are"),
    "width": ("llama", {"hidden_size": 10**12, "head_dim": 4}, "the weights|can be made"),
    "positions": ("bert", {"max_position_embeddings": 10**12}, "the weights embeddings.position_embeddings.weight are"),
    "labels": ("bert", {"num_labels": 3 * 10**8}, "num_labels: expected at most 65536, got 300000000"),
    "heads": ("mpt", {"n_heads": 10**9}, "expected at most as many heads as coordinates, got 1000000000"),
    "another kind": ("mistral", {"layer_types": ["sliding_attention"] * 2}, "is read as a model of the kind"),
    "settings in other files": ("bert", {"configuration_files": ["x"]}, "configuration_files: names settings in other"),
    "turning positions": ("esm", {"max_position_embeddings": 10**13}, "its tables take 8e+04 GB"),
}  # fmt: skip


@pytest.mark.parametrize("what", VAST)
def test_what_is_only_claimed_is_not_made(what, tmp_path):
    """Such a model is refused before it takes memory or time."""
    kind, changes, sentence = VAST[what]
    if kind == "bert":
        bert(tmp_path)
    else:
        rotary(kind, tmp_path)
    before = time.monotonic()
    with pytest.raises(UserError) as caught:
        Reading(changed_config(tmp_path, **changes), TEXTS)
    assert re.search(sentence.replace("+", r"\+"), str(caught.value)), caught.value
    assert time.monotonic() - before < 20
