"""A model in a GGUF file, written here as llama.cpp writes it: the model in the folder is the same one."""

import re
import sys

import gguf
import numpy as np
import pandas as pd
import pytest
from small_gguf import HEADS, small, written
from small_models import TEXTS
from tokenizers import Tokenizer

from attnsvm import inspect
from attnsvm.inspect import tokens
from attnsvm.inspect.checkpoint import Checkpoint
from attnsvm.inspect.gguf import unpack
from attnsvm.system.errors import UserError

THETA = {"rope_type": "default", "rope_theta": 500.0}


def weights_in(folder):
    held = Checkpoint(folder)
    with held.tensors(held.shapes) as tensors:
        return {name: one[...].numpy() for name, one in tensors.items()}


@pytest.fixture(scope="module")
def llama(tmp_path_factory):
    model = small("llama")
    return model, written(tmp_path_factory.mktemp("gguf") / "small.gguf", model)


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        ("llama", {}),
        ("llama", {"tie_word_embeddings": True, "attention_bias": True, "rope_parameters": THETA}),
        ("qwen2", {"rms_norm_eps": 2**-7}),
        ("qwen3", {"head_dim": 8, "rope_parameters": THETA}),
        ("qwen3", {"tie_word_embeddings": True}),
    ],
)
def test_weights_and_table_are_those_of_the_folder_and_of_the_model_in_memory(kind, settings, tmp_path):
    """Settings that float32 has, as the file does."""
    model, folder, beside = small(kind, **{"rms_norm_eps": 2**-20} | settings), tmp_path / "folder", tmp_path / "beside"
    file = written(tmp_path / "small.gguf", model, kind)
    unpack(file, beside)
    held = weights_in(beside)
    theirs = {key: tensor.numpy() for key, tensor in model.state_dict().items()}
    if settings.get("tie_word_embeddings"):
        del theirs["lm_head.weight"]
    assert set(held) == set(theirs)
    for key, values in theirs.items():
        np.testing.assert_array_equal(held[key], values, err_msg=key)
    model.save_pretrained(folder)
    own = Tokenizer.from_file(str((beside / "tokenizer.json").rename(folder / "tokenizer.json")))
    asks = {"texts": TEXTS, "layers": [1], "norms": "fro", "draws": 1}
    found = inspect.inspection(file, **asks)
    pd.testing.assert_frame_equal(inspect.heads(folder, **asks), found.table)
    pd.testing.assert_frame_equal(inspect.heads(model, tokenizer=own, **asks), found.table)
    assert list(found.table["status_fro"]) == ["solved"] * HEADS
    assert "small.gguf" in found.html
    assert len(inspect.why(file, TEXTS, layer=1)) > 0


@pytest.mark.parametrize("stored", ["Q4_1", "Q8_0", "F16"])
def test_quantised_weights_are_the_numbers_that_they_stand_for(stored, llama, tmp_path):
    """All of them, and some rows."""
    kind, name = gguf.GGMLQuantizationType[stored], "model.layers.1.mlp.up_proj.weight"
    unpack(written(tmp_path / "small.gguf", llama[0], stored=kind), tmp_path / "folder")
    stands = gguf.quants.dequantize(gguf.quants.quantize(llama[0].state_dict()[name].numpy(), kind), kind)
    np.testing.assert_array_equal(weights_in(tmp_path / "folder")[name], stands)
    with Checkpoint(tmp_path / "folder").tensors([name]) as tensors:
        np.testing.assert_array_equal(tensors[name][[3, 5, 30]], stands[[3, 5, 30]])


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"changes": {"rope.scaling.type": "yarn"}}, "llama.rope.scaling.type is 'yarn', which is not read"),
        ({"more": ["rope_freqs.weight"]}, "the weights rope_freqs.weight have no place"),
        ({"more": ["output_norm.bias"]}, "the weights output_norm.bias have no place"),
        ({"changes": {"rope.dimension_count": 8}}, "llama.rope.dimension_count is 8, which is not read"),
        ({"changes": {"block_count": None}}, "there is no llama.block_count"),
        ({"changes": {"rope.scaling.factor": 4}}, "llama.rope.scaling.factor is 4, which is not read"),
        ({"changes": {"rope.scale_linear": 2}}, "llama.rope.scale_linear is 2, which is not read"),
        ({"changes": {"attention.sliding_window": 8}}, "llama.attention.sliding_window is 8, which is not read"),
        ({"changes": {"attention.scale": 2}}, "llama.attention.scale is 2, which is not read"),
        ({"changes": {"attention.causal": 0}}, "llama.attention.causal is 0, which is not read"),
        ({"more": ["blk.0.attn_rot.weight"]}, "the weights blk.0.attn_rot.weight have no place"),
        ({"left_out": ["token_embd.weight"]}, "there are no weights token_embd.weight in it"),
        ({"words": ("gpt2", "viking", True)}, "tokenizer.ggml.pre is 'viking', a way to split texts that is not known"),
        ({"words": ("t5", "default", True)}, "is of the kind 't5', and those of llama and gpt2 are read"),
        ({"words": ("llama", "default", False)}, "tokenizer.ggml.add_space_prefix is False, which is not heeded"),
    ],
)
def test_what_is_not_read_is_one_sentence(given, sentence, llama, tmp_path):
    with pytest.raises(UserError, match=re.escape(sentence)):
        unpack(written(tmp_path / "small.gguf", llama[0], **given), tmp_path / "folder")
    assert not (tmp_path / "folder").exists()


@pytest.mark.parametrize("split", ["gpt-2", "smollm", "llama3", "tekken"])
def test_words_are_those_that_llama_cpp_makes(split, llama, tmp_path):
    """As its release of October 2026 said them of these files: single digits, words that no pairs make, a beginning."""
    made = {"gpt-2": "t he Ġ 12", "smollm": "t he Ġ 1 2", "llama3": "<|endoftext|> the Ġ 12"}
    unpack(written(tmp_path / "small.gguf", llama[0], words=("gpt2", split, True)), tmp_path / "folder")
    words = tokens.encoded(tmp_path / "folder", ["the 12"], 20, causal=True)[2]
    assert words == [made.get(split, "<|endoftext|> the Ġ 1 2").split()]


def test_other_files_and_places_are_one_sentence(llama, tmp_path, monkeypatch):
    _, file = llama
    (tmp_path / "text.gguf").write_text("no model at all")
    (tmp_path / "half.gguf").write_bytes(file.read_bytes()[:2000])
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "mine").touch()
    for path, place, sentence in (
        (tmp_path / "text.gguf", "new", "cannot be read as GGUF"),
        (tmp_path / "half.gguf", "new", "cannot be read as GGUF"),
        (tmp_path / "none.gguf", "new", "there is no such file"),
        (file, "folder", "is not empty; choose another place"),
        (file, "text.gguf", "is a file, expected a folder"),
    ):
        with pytest.raises(UserError, match=sentence):
            unpack(path, tmp_path / place)
        assert not (tmp_path / "new").exists()
    other = gguf.GGUFWriter(tmp_path / "other.gguf", "mamba")
    for write in (other.write_header_to_file, other.write_kv_data_to_file, other.write_tensors_to_file, other.close):
        write()
    with pytest.raises(UserError, match="the architecture 'mamba'; from GGUF files llama, qwen2, qwen3 are read"):
        unpack(tmp_path / "other.gguf", tmp_path / "new")
    monkeypatch.delitem(sys.modules, "attnsvm.inspect.gguf")
    monkeypatch.setitem(sys.modules, "gguf", None)
    with pytest.raises(UserError, match=r"^gguf is not installed: pip install '.*\[models\]'"):
        inspect.why(file, TEXTS)


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    """The same model in one file and in three."""
    folder, model = tmp_path_factory.mktemp("parts"), small("llama")
    written(folder / "whole.gguf", model)
    written(folder / "split.gguf", model, in_parts=9)
    return folder


def test_a_model_in_parts_is_read_whole(parts, tmp_path):
    assert len(unpack(parts / "split-00001-of-00003.gguf", tmp_path / "split")) == 3
    unpack(parts / "whole.gguf", tmp_path / "whole")
    split, whole = (weights_in(tmp_path / name) for name in ("split", "whole"))
    assert set(split) == set(whole)
    assert all(np.array_equal(split[name], whole[name]) for name in whole)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda at: at(2).unlink(), r"split-00002-of-00003\.gguf: there is no such file"),
        (lambda at: at(1).unlink(), "name the first one, which ends in -00001-of-3"),
        (lambda at: at(1).rename(at(1).with_name("first.gguf")), "name the first one, which ends in -00001-of-3"),
        (lambda at: at(3).write_bytes(b"GGUF"), r"split-00003-of-00003\.gguf: cannot be read as GGUF \(it ends before"),
    ],
)
def test_half_a_model_is_refused(change, sentence, parts, tmp_path):
    folder = tmp_path / "parts"
    folder.mkdir()
    for path in parts.glob("split*"):
        (folder / path.name).write_bytes(path.read_bytes())
    change(lambda k: folder / f"split-0000{k}-of-00003.gguf")
    first = next(path for path in sorted(folder.iterdir()))
    with pytest.raises(UserError, match=sentence):
        unpack(first, tmp_path / "new")
    assert not (tmp_path / "new").exists()
