"""A model of reactions: one layer applied several times, a pickle of weights, a vocabulary of SMILES tokens alone."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from small_models import TEXTS, bert, of_reactions

from attnsvm import command
from attnsvm.data.reactions import reactions
from attnsvm.errors import UserError
from attnsvm.inspect import models, several, smiles

EVERY = reactions()[::40]
LINES = [one.text for one in EVERY]
SPECIAL = ["[PAD]", "[unused1]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


@pytest.fixture
def albert(tmp_path):
    """A folder as the package rxnmapper has it, with random weights."""
    folder = of_reactions(tmp_path / "albert", layers=3, special=SPECIAL, positions=200)
    (folder / "tokenizer_config.json").write_text("{}")
    names = {"unk_token": "[UNK]", "sep_token": "[SEP]", "pad_token": {"content": "[PAD]"}, "cls_token": "[CLS]"}
    (folder / "special_tokens_map.json").write_text(json.dumps(names))
    return folder


def test_a_reaction_is_split_into_its_tokens(albert):
    for layer in models.read(albert, LINES, longest=200, position="all", layers=[0]):
        words = [layer.inputs.words[np.flatnonzero(layer.inputs.text == k)[0]] for k in range(len(EVERY))]
        assert words == [["[CLS]", *one.tokens, "[SEP]"] for one in EVERY]
        for marks in layer.inputs.delimiters:
            assert np.flatnonzero(marks).tolist() == [0, len(marks) - 1]


def test_the_command_reads_it_without_further_steps(albert, tmp_path):
    (tmp_path / "reactions.txt").write_text("\n".join(LINES))
    call = ["inspect", str(albert), "--texts", str(tmp_path / "reactions.txt"), "--out", str(tmp_path / "out")]
    assert command.main([*call, "--norms", "fro", "--draws", "1", "--jobs", "1"]) == 0
    table = pd.read_csv(tmp_path / "out" / "heads.csv")
    assert list(zip(table["layer"], table["head"], strict=True)) == [(k, h) for k in range(3) for h in range(2)]
    assert (table.status_fro == "solved").all()
    page = (tmp_path / "out" / "heads.html").read_text("utf-8")
    assert '"[CLS]"' in page
    assert f'"{EVERY[0].tokens[0]}"' in page
    asked = several.resolve({"models": {"small": str(albert)}}).models["small"]
    assert {one.rpartition("/")[2] for one in asked.files} >= {"vocab.txt", "special_tokens_map.json"}


def test_an_unknown_token_is_a_token(albert):
    (layer,) = models.read(albert, [f"{LINES[0]}[Uuo]", LINES[1]], layers=[0], longest=200)
    assert layer.inputs.words[0][-2:] == ["[UNK]", "[SEP]"]
    assert not layer.inputs.delimiters[0][-2]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda words: words.remove("[CLS]"), "{}/vocab.txt: the special tokens [CLS] are not in it"),
        (lambda words: words.append("("), "{}/vocab.txt: (: in it twice, so token numbers are not certain"),
    ],
)
def test_a_vocabulary_that_cannot_be_used_is_one_sentence(change, sentence, albert):
    words = (albert / "vocab.txt").read_text().split()
    change(words)
    (albert / "vocab.txt").write_text("\n".join(words))
    with pytest.raises(UserError, match=f"^{re.escape(sentence.format(albert))}$"):
        models.read(albert, LINES)


def test_a_vocabulary_that_is_no_text_is_one_sentence(albert):
    (albert / "vocab.txt").write_bytes(b"\xff\xfe(")
    with pytest.raises(UserError, match=r"vocab\.txt: cannot be read \(it is not UTF-8\)$"):
        models.read(albert, LINES)


@pytest.mark.parametrize("content", ["{", "[]", '{"cls_token": 3}', '{"cls_token": {"word": "[CLS]"}}'])
def test_names_of_special_tokens_that_cannot_be_read_are_one_sentence(content, albert):
    (albert / "special_tokens_map.json").write_text(content)
    sentence = f"{albert}/special_tokens_map.json: expected JSON with the names of special tokens"
    with pytest.raises(UserError, match=f"^{re.escape(sentence)}$"):
        models.read(albert, LINES)


def test_other_vocabularies_are_left_to_the_libraries(tmp_path, albert):
    assert smiles.vocabulary(bert(tmp_path / "bert")) is None
    ours = (albert / "vocab.txt").read_text().split()
    for words in ([*SPECIAL, *"ACDEFGHIKLMNPQRSTVWY"], [*ours, "##ing"]):  # of proteins, of pieces of words
        (albert / "vocab.txt").write_text("\n".join(words))
        assert smiles.vocabulary(albert) is None
    sentence = "^texts: the model's tokenizer knows none of their words; are they the right kind of text\\?$"
    with pytest.raises(UserError, match=sentence):
        models.read(tmp_path / "bert", ["xyzzy plugh", "xyzzy"])
    models.read(tmp_path / "bert", ["xyzzy plugh", TEXTS[0]])  # one is known
