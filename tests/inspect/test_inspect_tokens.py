"""The tokenizer of a model, in the process where users have it: it is the model's own, and it can be ended."""

import base64
import hashlib
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

import pytest
import sentencepiece
import tokenizers
from harness import ROOT, run_python
from small_gguf import small, written
from small_models import FAMILIES, TEXTS, WORDS, bert, relative, rotary
from tokenizers import models, normalizers, pre_tokenizers, processors

from attnsvm import inspect
from attnsvm.inspect import tokens
from attnsvm.inspect.gguf import unpack
from attnsvm.inspect.models import Reading
from attnsvm.system.errors import UserError

POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 440449768\n"


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    return bert(tmp_path_factory.mktemp("encoder"))


@pytest.fixture
def folder(encoder, tmp_path):
    return shutil.copytree(encoder, tmp_path / "model")


def changed(folder, change):
    path = folder / "tokenizer.json"
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))


@pytest.mark.usefixtures("elsewhere")
def test_a_process_of_its_own_says_what_this_one_would(encoder):
    request = {"folder": str(encoder), "texts": TEXTS, "longest": 20}
    assert tokens.elsewhere(request) == tokens.answer(request)
    ids, marks, words, _ = tokens.encoded(encoder, TEXTS, 20, causal=False)
    assert [len(one) for one in ids] == [len(one) for one in marks] == [len(one) for one in words]
    assert words[0][:2] == ["[CLS]", TEXTS[0].split()[0]]
    assert marks[0].tolist() == [True, *[False] * (len(ids[0]) - 2), True]


@pytest.mark.usefixtures("elsewhere")
def test_nothing_of_the_folder_where_one_stands_is_run(folder, monkeypatch):
    (folder / "json.py").write_text("import os; os.abort()")
    monkeypatch.chdir(folder)
    assert tokens.encoded(folder, TEXTS, 20, causal=False)[0]


def test_nothing_is_left_under_a_name_that_others_know(tmp_path):
    """In a process of its own, since what is left is left as libraries are loaded."""
    bert(tmp_path / "model")
    written(tmp_path / "model.gguf", small("llama"))
    (tmp_path / "shared").mkdir()
    program = (
        "import os, sys, threadpoolctl; from attnsvm import inspect; before = dict(os.environ)\n"
        "for model in (sys.argv[1], sys.argv[1] + '.gguf'):\n"
        "    inspect.heads(model, ['the cat', 'a dog', 'the red cat', 'a bird'], norms='fro', draws=0)\n"
        "print(before == dict(os.environ))"
    )
    said = run_python(program, tmp_path / "model", cwd=tmp_path, TMPDIR=str(tmp_path / "shared"), PYTHONPATH=str(ROOT))
    assert said == "True\n"
    assert not [*(tmp_path / "shared").iterdir()]


@pytest.mark.usefixtures("elsewhere")
def test_a_vocabulary_of_tiktoken_is_read_from_its_file_and_kept_nowhere(tmp_path, monkeypatch):
    """A folder that everybody can write to may have another one under its path."""
    monkeypatch.setenv("TMPDIR", str(tmp_path / "shared"))
    pieces = [bytes([byte]) for byte in range(256)]
    for place, end in (("shared/data-gym-cache", b"he"), ("model", b"th")):
        (tmp_path / place).mkdir(parents=True)
        lines = [f"{base64.b64encode(piece).decode()} {k}\n" for k, piece in enumerate([*pieces, end])]
        (tmp_path / place / "tokenizer.model").write_text("".join(lines))
    planted = tmp_path / "shared/data-gym-cache/tokenizer.model"
    planted.rename(planted.with_name(hashlib.sha1(bytes(tmp_path / "model/tokenizer.model")).hexdigest()))
    bert(tmp_path / "other")
    shutil.copy(tmp_path / "other/config.json", tmp_path / "model")
    (tmp_path / "model/tokenizer_config.json").write_text('{"tokenizer_class": "PreTrainedTokenizerFast"}')
    assert tokens.encoded(tmp_path / "model", ["the"], 20, causal=False)[2] == [["th", "e"]]
    assert [path.name for path in (tmp_path / "shared").iterdir()] == ["data-gym-cache"]
    assert len([*planted.parent.iterdir()]) == 1


GROWING = "a" * 100  # stands for each "a": a hundred times as many with every step


@pytest.mark.usefixtures("elsewhere")
@pytest.mark.parametrize(
    ("steps", "sentence"),
    [(9, "its tokenizer cannot be used: it takes more than"), (2, "its tokenizer does not end within 22 seconds")],
    ids=["memory", "time"],
)
def test_a_tokenizer_that_explodes_is_ended(steps, sentence, folder, monkeypatch):
    def change(content):
        each = {"type": "Replace", "pattern": {"String": "a"}, "content": GROWING}
        content["normalizer"] = {"type": "Sequence", "normalizers": [each] * steps}

    changed(folder, change)
    if "2 seconds" in sentence:
        monkeypatch.setattr(tokens, "SECONDS", 2)
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    with pytest.raises(UserError, match=f"^{folder}: {sentence}"):
        tokens.encoded(folder, [text + " a" * 200 for text in TEXTS] * (40 if steps == 2 else 1), 20, causal=False)
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before < 60


def test_a_panic_is_a_sentence(folder):
    """Found by changing bytes: Rust says what, and Python has a BaseException. Types of tokens are said too."""
    changed(folder, lambda content: content["post_processor"]["single"][1]["Sequence"].update(type_id=1))
    with pytest.raises(UserError, match="it gives types other than 0 to tokens, and models are read with type 0"):
        tokens.encoded(folder, TEXTS, 20, causal=False)
    changed(folder, lambda content: content["truncation"].update(max_length=-1) if content["truncation"] else None)
    path = folder / "tokenizer.json"
    path.write_text(path.read_text().replace('"id": 2', '"id": 99999999999999999999', 1))
    with pytest.raises(UserError, match="its tokenizer cannot be read"):
        tokens.encoded(folder, TEXTS, 20, causal=False)


def test_an_empty_vocabulary_and_none_at_all_are_named(folder):
    none = tokenizers.Tokenizer(models.WordLevel({"[UNK]": 0}, unk_token="[UNK]"))
    none.add_special_tokens(["[UNK]"])
    none.save(str(folder / "tokenizer.json"))
    with pytest.raises(UserError, match="its tokenizer has no words"):
        tokens.encoded(folder, TEXTS, 20, causal=False)
    for path in folder.glob("token*"):
        path.unlink()
    with pytest.raises(UserError, match=r"there is no tokenizer in it \(tokenizer.json or vocab.txt\)$"):
        tokens.encoded(folder, TEXTS, 20, causal=False)


@pytest.mark.parametrize("name", ["tokenizer.json", "config.json", "model.safetensors", "model.safetensors.index.json"])
def test_a_pointer_of_git_lfs_is_named(name, folder):
    if name == "model.safetensors.index.json":
        (folder / "model.safetensors").unlink()
    (folder / name).write_text(POINTER)
    with pytest.raises(UserError, match=f"{name}: is a pointer of git-lfs in the place of the file; fetch the file"):
        Reading(folder, TEXTS)


def test_the_tokenizer_of_a_gguf_file_is_its_own(tmp_path):
    """Beside the file lies the folder of another model, as people keep them."""
    file = written(tmp_path / "small.gguf", small("llama"))
    unpack(file, tmp_path / "alone")
    bert(tmp_path)
    unpack(file, tmp_path / "beside")
    alone, beside, other = (tmp_path / name / "tokenizer.json" for name in ("alone", "beside", ""))
    assert beside.read_bytes() == alone.read_bytes() != other.read_bytes()


@pytest.mark.parametrize("name", ["mpnet", "esm", "esm, learned", "gpt_neox", "roberta", "camembert"])
def test_a_model_uses_all_its_positions(name, tmp_path):
    if name in FAMILIES:
        rotary(name, tmp_path)
    else:
        relative(tmp_path, name)
    config = json.loads((tmp_path / "config.json").read_text())
    text = " ".join(WORDS[k % len(WORDS)] for k in range(200))
    reading = Reading(tmp_path, [text], longest=1000)
    lost = {"mpnet": 2, "esm, learned": 1, "roberta": 1, "camembert": 1}.get(name, 0)
    assert [len(one) for one in reading.walk.texts] == [config["max_position_embeddings"] - lost]
    assert len(list(reading)) == 2


def test_it_ends_with_the_process_that_asked(folder, tmp_path):
    """Ctrl-C at the one who waits: no tokenizer goes on."""
    asked = f"tokens.elsewhere({{'folder': {str(folder)!r}, 'texts': ['a a'], 'longest': 20}})"

    def change(content):
        each = {"type": "Replace", "pattern": {"String": "a"}, "content": GROWING}
        content["normalizer"] = {"type": "Sequence", "normalizers": [each] * 4}

    changed(folder, change)
    command = [sys.executable, "-c", f"from attnsvm.inspect import tokens\n{asked}"]
    waiting = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 30
    while not (found := children(waiting.pid)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert found
    waiting.send_signal(signal.SIGINT)
    waiting.wait(20)
    while any(map(alive, found)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(alive, found))


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return list(map(int, file.read().split()))


def alive(pid):
    try:
        os.kill(pid, 0)
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_words_are_shown_and_not_whole_books(folder):
    changed(folder, lambda content: content["model"]["vocab"].update({"x" * 5000: 999}))
    found = tokens.answer({"folder": str(folder), "texts": ["the " + "x" * 5000, TEXTS[0]], "longest": 20})
    assert max(len(word) for words in found["words"] for word in words) <= tokens.SHOWN
    assert 999 in found["ids"][0]
    with pytest.raises(UserError, match=r"its tokenizer makes token 999, and config\.json says that there are"):
        Reading(folder, ["the " + "x" * 5000, TEXTS[0]])


# {kind of model: its file, how far its numbers are from those of the pieces, tokens before and behind}
OF_PIECES = {"llama": ("tokenizer.model", 0, 1, 0), "t5": ("spiece.model", 0, 0, 1),
             "deberta-v2": ("spm.model", 0, 1, 1), "xlm-roberta": ("sentencepiece.bpe.model", 1, 1, 1)}  # fmt: skip


@pytest.mark.parametrize("prefix", [True, False])
@pytest.mark.parametrize("bytes_too", [True, False])
@pytest.mark.parametrize("way", ["unigram", "bpe"])
@pytest.mark.parametrize("kind", OF_PIECES)
def test_pieces_are_those_that_the_library_sentencepiece_makes(kind, way, bytes_too, prefix, tmp_path):
    """As models are published without tokenizer.json; a symbol that somebody defined is a word."""
    name, apart, before, behind = OF_PIECES[kind]
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(inspect.sentences()), model_prefix=str(tmp_path / "of"), vocab_size=420, model_type=way,
        byte_fallback=bytes_too, add_dummy_prefix=prefix, user_defined_symbols=["cat"], hard_vocab_limit=False,
    )  # fmt: skip
    (tmp_path / "config.json").write_text(json.dumps({"model_type": kind}))
    (tmp_path / "tokenizer_config.json").write_text('{"add_bos_token": true}')
    own = sentencepiece.SentencePieceProcessor(model_file=str((tmp_path / "of.model").rename(tmp_path / name)))
    texts = ["the cat sat", " two  Spaces ", "é 漢字 ﬁ\t12,5", "the house is old " * 9]
    asked = {"folder": str(tmp_path), "texts": texts, "longest": 30}
    found = tokens.answer(asked)
    for text, ids in zip(texts, found["ids"], strict=True):
        theirs = own.encode(text)[: 30 - before - behind]
        theirs = [found["unknown"] if k == own.unk_id() else k + apart for k in theirs]
        assert ids[before : len(ids) - behind] == theirs, text
        assert [k in found["special"] for k in ids] == [True] * before + [False] * len(theirs) + [True] * behind
    (tmp_path / "tokenizer_config.json").write_text('{"do_lower_case": true}')
    with pytest.raises(UserError, match=f"do_lower_case: not heeded with {name}; save it as tokenizer.json"):
        tokens.answer(asked)
    (tmp_path / name).write_bytes(b"no vocabulary")
    with pytest.raises(UserError, match="its tokenizer cannot be read"):
        tokens.answer(asked)


@pytest.mark.parametrize("way", ["unigram", "bpe"])
def test_pieces_in_a_gguf_file_are_those_of_its_model(way, tmp_path):
    """Pairs are joined by rank, and the space in front is added to one that is there; unigrams have no ranks."""
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(inspect.sentences()), model_prefix=str(tmp_path / "of"), vocab_size=420, model_type=way,
        byte_fallback=True, normalization_rule_name="identity", remove_extra_whitespaces=False,
    )  # fmt: skip
    own, model = (
        sentencepiece.SentencePieceProcessor(model_file=str(tmp_path / "of.model")),
        small("llama", vocab_size=420),
    )
    file = written(tmp_path / "small.gguf", model, words=("llama", "default", True), pieces=own)
    if way == "unigram":
        with pytest.raises(UserError, match=r"the scores of its words are no ranks of pairs that are joined; take the"):
            unpack(file, tmp_path / "folder")
        return
    unpack(file, tmp_path / "folder")
    texts = ["the cat sat", " two  Spaces ", "é 漢字 ﬁ\t12,5", "\u2581the"]
    found = tokens.answer({"folder": str(tmp_path / "folder"), "texts": texts, "longest": 60})
    assert found["ids"] == [[own.bos_id(), *own.encode(text)] for text in texts]


def test_texts_of_another_kind_are_named(encoder):
    sentence = r"^texts: the model's tokenizer knows none of their words; are they the right kind of text\?$"
    with pytest.raises(UserError, match=sentence):
        tokens.encoded(encoder, ["xyzzy plugh", "xyzzy"], 20, causal=False)
    tokens.encoded(encoder, ["xyzzy plugh", TEXTS[0]], 20, causal=False)  # one is known


def pieces(kind):
    """A tokenizer as a file has it, which another class would build in another way."""
    ends = processors.TemplateProcessing("<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 1)])
    if kind == "WordPiece":
        words = {word: k for k, word in enumerate(["<s>", "</s>", "[UNK]", "thé", "the", "cat", "##s", "The"])}
        made = tokenizers.Tokenizer(models.WordPiece(words, unk_token="[UNK]"))
        made.normalizer, made.pre_tokenizer = normalizers.Lowercase(), pre_tokenizers.Whitespace()
    elif kind == "BPE":
        letters = {letter: k for k, letter in enumerate(["<s>", "</s>", *sorted(pre_tokenizers.ByteLevel.alphabet())])}
        made = tokenizers.Tokenizer(models.BPE(letters, []))
        made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        made.enable_truncation(6, direction="left")
    else:
        words = [(word, -1.0 - k) for k, word in enumerate(["<s>", "</s>", "<unk>", "▁the", "▁cats", "s", "T"])]
        made, ends = tokenizers.Tokenizer(models.Unigram(words, 2)), None
        made.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="never")
    made.post_processor = ends
    made.add_special_tokens(["<s>", "</s>"])
    return made


@pytest.mark.parametrize("kind", ["WordPiece", "BPE", "Unigram"])
@pytest.mark.parametrize("model", ["bert", "roberta", "llama", "t5"])
@pytest.mark.parametrize("of", ["BertTokenizer", "RobertaTokenizer", "LlamaTokenizer", "T5Tokenizer", "GPT2Tokenizer"])
def test_the_words_are_those_of_tokenizer_json_whatever_class_is_named(of, model, kind, tmp_path):
    """Ends and truncation included; what other files say of words, the library tokenizers does not read."""
    pieces(kind).save(str(tmp_path / "tokenizer.json"))
    told = {"tokenizer_class": of, "add_bos_token": True, "add_prefix_space": True, "do_lower_case": False}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(told))
    (tmp_path / "config.json").write_text(json.dumps({"model_type": model}))
    texts = ["the cats", "The Thé cats the THE", " the  cat"]
    found = tokens.answer({"folder": str(tmp_path), "texts": texts, "longest": 60})
    own = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    assert found["ids"] == [own.encode(text).ids for text in texts]
    assert found["files"] == ["tokenizer.json"]
    assert found["special"] == [0, 1]


@pytest.mark.parametrize(("told", "first"), [({}, "The"), ({"do_lower_case": True}, "the")])
def test_a_vocabulary_with_capitals_is_of_capitals(told, first, folder):
    (folder / "tokenizer.json").unlink()
    (folder / "tokenizer_config.json").write_text(json.dumps(told))
    (folder / "vocab.txt").write_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nthe\nThe\ncat")
    found = tokens.answer({"folder": str(folder), "texts": ["The cat"], "longest": 20})
    assert found["words"] == [["[CLS]", first, "cat", "[SEP]"]]
    assert found["files"] == ["tokenizer_config.json", "vocab.txt"]
    (folder / "tokenizer_config.json").write_text('{"never_split": ["cat"], "do_basic_tokenize": null}')
    with pytest.raises(UserError, match="never_split: not heeded with the files beside it; save it as "):
        tokens.answer({"folder": str(folder), "texts": ["The cat"], "longest": 20})


def test_a_vocabulary_of_molecules_alone_is_refused(folder):
    """As models of chemical reactions are published: vocab.txt, a line for each token of a SMILES string."""
    marks, molecules = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"], ["(", ")", "=", "C", "Cl", "c", "%10", "[nH]"]
    path, sentence = folder / "vocab.txt", "vocab.txt: is a vocabulary of molecules (SMILES strings), which is not read"
    path.write_text("\n".join([*marks, *molecules]))
    assert tokens.encoded(folder, TEXTS, 20, causal=False)[0]  # tokenizer.json decides where it is there
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (folder / name).unlink()
    with pytest.raises(UserError, match=re.escape(sentence) + "$"):
        tokens.encoded(folder, ["CC(=O)Cl"], 20, causal=False)
    for others in ([*"acdefghiklmnpqrstvwy"], [*molecules, "##ing"], [*molecules, "the"]):  # of proteins, of words
        path.write_text("\n".join([*marks, *others]))
        assert tokens.encoded(folder, ["c c"], 20, causal=False)[2] == [["[CLS]", "c", "c", "[SEP]"]]
