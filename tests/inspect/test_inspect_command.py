"""`attnsvm inspect` as a user calls it: files, page, sentences where something is wrong."""

import hashlib
import itertools
import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from small_models import TEXTS, bert, changed_config, changed_weights, gpt2, rotary

import attnsvm
from attnsvm import command, inspect
from attnsvm.inspect import page as pages
from attnsvm.inspect import summary
from attnsvm.inspect.columns import columns
from attnsvm.inspect.measures import better

MASKLESS = "its tokenizer has no masked word"
SMALL = ["--draws", "1", "--nuclear-inputs", "5", "--jobs", "1"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """An encoder inspected, with a text that tries to be markup."""
    folder = tmp_path_factory.mktemp("inspected")
    bert(folder / "<model>")
    (folder / "texts.txt").write_text("\n\n".join([*TEXTS, "the cat </script> <b>bird</b> {{data}}"]))
    call = ["inspect", str(folder / "<model>"), "--texts", str(folder / "texts.txt"), "--out", str(folder / "out")]
    assert command.main([*call, *SMALL]) == 0
    return folder / "out"


def test_both_tables_are_one_and_have_a_row_for_each_head(folder):
    table = pd.read_parquet(folder / "heads.parquet")
    pd.testing.assert_frame_equal(table, pd.read_csv(folder / "heads.csv"), check_dtype=False)
    assert list(table.columns) == list(columns(("fro", "nuc")))
    assert list(zip(table["layer"], table["head"], strict=True)) == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert set(table.status_fro) == set(table.status_nuc) == {"solved"}
    assert (table.gap_fro <= 1e-10).all()
    assert (table.gap_nuc <= 1e-7).all()
    # rank 6 of 13: two heads in twelve dimensions, and a constant
    assert (table.rank_head == 6).all()
    assert table.delimiter_selected.between(0, 1).all()
    assert (table.margin_ratio_fro > 0).all()  # a head separates what it selects


def data_of(page):
    (text,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    return json.loads(text)


def test_the_page_holds_every_head_and_every_word_and_loads_nothing(folder):
    page = (folder / "heads.html").read_text("utf-8")
    data = data_of(page)
    table = pd.read_csv(folder / "heads.csv")
    assert [h["alignment_fro"] for h in data["heads"]] == table.alignment_fro.tolist()
    assert len(data["fit"]) == table.inputs_fro[0]
    assert len(data["held"]) == table.inputs_held_out[0]
    assert not re.search(r"""(src|href)=["'](?!data:,)|url\(|@import|fetch\(|XMLHttp|import\(""", page)
    assert "http" not in page.replace("http-equiv", "")
    words = {word for one in data["fit"] + data["held"] for word in one["words"]}
    assert {"[CLS]", "[SEP]", "cat", "sees"} <= words
    assert "<title>Heads of &lt;model></title>" in page
    for k, row in table.iterrows():
        marks = data["marks"][k]
        assert sum(len(mark) - 1 for mark in marks["fit"]) == row.support_fro
        assert np.mean([a == b for a, b in marks["held"]]) == pytest.approx(row.predicted_fro)
        for mark, one in zip(marks["fit"], data["fit"], strict=True):
            assert all(0 <= t < len(one["words"]) for t in mark)
            assert mark[0] not in mark[1:]


def test_the_same_call_writes_the_same_bytes_and_verify_knows_them(folder, capsys):
    model, texts = folder.parent / "<model>", folder.parent / "texts.txt"
    again = folder.parent / "again"
    assert command.main(["inspect", str(model), "--texts", str(texts), "--out", str(again), *SMALL]) == 0
    out, err = capsys.readouterr()
    assert sum("texts: 100%" in line for line in err.split("\n")) == 1
    said = out.splitlines()
    assert said[:3] == [str(again / name) for name in inspect.WRITTEN]
    then = f"attnsvm why '{model}' --texts {texts}"
    assert said[3:] == summary.sentences(pd.read_parquet(again / "heads.parquet"), (0, 0), MASKLESS, then)
    assert any(line.startswith(f"{then} --layer ") for line in said), "which can be typed as it is"
    for name in ("heads.csv", "heads.parquet"):
        assert (again / name).read_bytes() == (folder / name).read_bytes(), name
    pages = [data_of((one / "heads.html").read_text("utf-8")) for one in (folder, again)]
    assert {tuple(page.pop("made")) for page in pages} == {
        ("model", "SHA-256", "command", "seed", "release", "date")
    }, "which says when, and where to"
    assert pages[0] == pages[1]
    assert command.main(["verify", str(again)]) == 0
    (again / "heads.csv").write_text("changed")
    assert command.main(["verify", str(again)]) == 1
    assert "heads.csv: damaged" in capsys.readouterr().out


@pytest.mark.parametrize(("make", "query", "queries"), [(bert, "random", 0), (gpt2, "all", 8)])
def test_texts_that_are_equal_once_cut_are_asked_once(make, query, queries, tmp_path):
    model, texts = make(tmp_path / "model"), TEXTS[:12]
    more = [*texts, *(f" {text}  bread" for text in texts), *texts, *(text[:-2] for text in texts)]
    asks = {"longest": 6, "query": query, "norms": "fro", "draws": 1}
    once, often = (inspect.inspection(model, given, **asks) for given in (texts, more))
    pd.testing.assert_frame_equal(once.table, often.table)
    and_queries = f" and {queries} queries" if queries else ""
    assert often.said[-1] == f"Left out, as equal to earlier ones once cut: 36 texts{and_queries}."
    assert data_of(often.html)["summary"] == often.said
    seen = [(one["words"], one["query"]) for side in ("fit", "held") for one in data_of(often.html)[side]]
    assert all(one not in seen[:k] for k, one in enumerate(seen))


def test_arrays_that_are_equal_are_asked_once(tmp_path):
    rng = np.random.default_rng(0)
    X, z, W = rng.normal(size=(12, 5, 20)), rng.normal(size=(12, 20)), rng.normal(size=(20, 20))
    np.savez(tmp_path / "once.npz", tokens=X, queries=z, W=W)
    np.savez(tmp_path / "often.npz", tokens=np.concatenate([X, X[:, ::-1], X]), queries=np.tile(z, (3, 1)), W=W)
    np.savez(tmp_path / "asked.npz", tokens=np.concatenate([X, X]), queries=np.concatenate([z, -z]), W=W)
    once, often, asked = (inspect.inspection(tmp_path / f"{name}.npz", draws=1) for name in ("once", "often", "asked"))
    pd.testing.assert_frame_equal(once.table, often.table)
    assert often.said[-1] == "Left out, as equal to earlier ones once cut: 24 queries."
    fit, held = ({one["text"] for one in data_of(asked.html)[side]} for side in ("fit", "held"))
    assert len(fit | held) == 12
    assert not fit & held


def test_the_page_says_where_it_comes_from(folder, monkeypatch):
    made = data_of((folder / "heads.html").read_text("utf-8"))["made"]
    model = folder.parent / "<model>"
    assert made["model"] == str(model)
    assert made["command"].startswith(f"attnsvm inspect '{model}' --texts ")
    assert made["seed"] == "0"
    assert made["release"] == f"attnsvm {attnsvm.__version__}"
    assert abs(datetime.fromisoformat(made["date"].replace(" UTC", "+00:00")) - datetime.now(UTC)) < timedelta(hours=1)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    again = pages.origin(model, 0, "", [model / "config.json"])
    assert again["date"] == "1970-01-01 00:00:00 UTC"
    assert again["SHA-256"] in made["SHA-256"]
    assert "command" not in again
    read = ("config.json", "model.safetensors", "tokenizer.json")
    sums = [f"{hashlib.sha256((model / name).read_bytes()).hexdigest()} {name}" for name in read]
    assert made["SHA-256"] == ", ".join(sums), "and not tokenizer_config.json, which is there and not read"


def test_the_first_sentence_counts_the_heads_that_beat_each_control(folder):
    table, data = pd.read_csv(folder / "heads.csv"), data_of((folder / "heads.html").read_text("utf-8"))
    then = f"attnsvm why '{folder.parent / '<model>'}' --texts {folder.parent / 'texts.txt'}"
    assert data["summary"] == summary.sentences(table, (0, 0), MASKLESS, then)
    by = ["beats", "changed_fro", "layer", "head"]
    first = table.sort_values(by, ascending=[False, False, True, True]).iloc[0]
    beats = f"Layer {first.layer}, head {first['head']} beats {first.beats} of {first.controls} controls"
    assert f"{beats}{summary.not_decided(first)}. It selects {first.does}.{summary.matters(first)}" in data["summary"]
    empty = "half_length_measured is empty: no fitted text is long enough; give some four times as long."
    assert empty in data["summary"]
    weights = [sum(one) for marks in data["marks"] for side in marks["weights"] for one in side]
    assert min(weights) > 90
    assert max(weights) < 110
    table = table.assign(**{"beats": [1, 0, 2, 0], "undecided": [1, 0, 0, 3], "controls": 3, "texts_held_out": 9})
    said = (
        "SVMs predict new selections better than 3 of 12 controls, beyond chance (95 % each); 4 are not decided with "
    )
    assert summary.sentences(table)[0] == f"{said}9 texts."
    none = summary.sentences(table.assign(inputs_held_out=0))[0]
    assert none == "No input is held out: nothing is said of new selections."


def test_a_prediction_is_better_where_six_texts_say_so_and_none_the_other_way():
    """Of five, even all of them are chance in one case of sixteen; queries of one text count once."""
    right, ties = np.ones(20, dtype=bool), np.arange(20) // 2
    for texts, found in ((5, 0), (6, 1)):
        other = (ties >= texts) * 1.0
        assert better(right, other, ties) == found
        assert better(other, right, ties) == -found
        assert better(right, other, np.zeros(20, dtype=int)) == 0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["{0}/none"], "{0}/none: expected a folder (download a model first), a .gguf file, or an .npz file"),
        (["{0}/none.npz"], "{0}/none.npz: there is no such file"),
        (["{0}"], "{0}: there is no config.json in it, so it holds no model"),
        (["{0}", "--texts", "{0}/none.txt"], "{0}/none.txt: there is no such file"),
        (["{0}", "--texts", "{0}/empty.txt"], "{0}/empty.txt: expected one text per line, got none"),
        (["{0}", "--texts", "{0}/latin.txt"], "{0}/latin.txt: cannot be read (it is not UTF-8)"),
        (
            ["{0}", "--texts", "{0}/heads.csv", "--out", "{0}"],
            "--out: {0}/heads.csv would overwrite what is read from {0}/heads.csv; choose another place",
        ),
        (["{0}", "--out", "{0}/heads.csv"], "--out: {0}/heads.csv is a file, expected a folder; choose another place"),
        (["{0}", "--texts", ""], "texts: expected the name of a file, got an empty one"),
        ([""], "model: expected the name of a folder or of an .npz file, got an empty one"),
        (["{0}/none", "--out", "{0}/heads.csv/out"], "--out: {0}/heads.csv is a file, so no folder can be made in it"),
        (
            ["{0}/none.npz", "--query", "last"],
            "{0}/none.npz: a file of arrays has one query for each input, and query chooses none",
        ),
    ],
)
def test_what_is_wrong_is_one_sentence(arguments, sentence, tmp_path, capsys):
    (tmp_path / "empty.txt").write_text("\n \n")
    (tmp_path / "latin.txt").write_bytes("é".encode("latin-1"))
    (tmp_path / "heads.csv").write_text("A text.\n")
    assert command.main(["inspect", *(one.format(tmp_path) for one in arguments)]) == 1
    assert capsys.readouterr().err == f"error: {sentence.format(tmp_path)}\n"


def test_no_table_overwrites_a_file_of_the_model(tmp_path, capsys):
    path = tmp_path / "config.json"
    path.write_text("{}")
    assert command.main(["why", str(tmp_path), "--out", str(path)]) == 1
    sentence = f"error: --out: {path} would overwrite what is read from {tmp_path}; choose another place\n"
    assert capsys.readouterr().err == sentence
    assert path.read_text() == "{}"
    assert command.main(["why", str(tmp_path), "--out", str(tmp_path / "none.csv" / "..")]) == 1
    assert command.main(["why", str(tmp_path / "none.npz"), "--out", str(tmp_path)]) == 1
    assert f"error: {tmp_path}: is a folder, expected a file; choose another place\n" in capsys.readouterr().err


def test_nothing_is_written_into_the_folder_of_a_model(tmp_path, capsys, monkeypatch):
    model = gpt2(tmp_path / "model")
    before = sorted(path.name for path in model.iterdir())
    (tmp_path / "link").symlink_to(model)
    monkeypatch.chdir(model)
    for typed in (model, "", ".", model / ".." / "model", tmp_path / "link", model / "deeper" / "out"):
        assert command.main(["inspect", str(model), "--out", str(typed), "--norms", "fro", *SMALL]) == 1
        lies = f"--out: {Path(typed)} lies in the folder of the model, {model}; choose another place"
        sentence = lies if typed else "--out: expected the name of a folder, got an empty one"
        assert capsys.readouterr().err == f"error: {sentence}\n"
    for typed in (tmp_path / "link" / "table.csv", ""):
        assert command.main(["why", str(model), "--out", str(typed)]) == 1
        lies = f"--out: {typed} lies in the folder of the model, {model}; choose another place"
        sentence = lies if typed else "--out: expected the name of a file, got an empty one"
        assert capsys.readouterr().err == f"error: {sentence}\n"
    assert sorted(path.name for path in model.iterdir()) == before


def with_positions(folder, count):
    """An encoder with so many positions, in its configuration and in its weights."""
    name = "embeddings.position_embeddings.weight"
    changed_config(bert(folder), max_position_embeddings=count)
    return changed_weights(folder, lambda weights: weights.update({name: weights[name][: max(count, 0)].clone()}))


def test_a_mark_in_front_of_a_file_is_no_word(tmp_path):
    (tmp_path / "marked.txt").write_bytes("\ufeffThe cat.\r\nA dog.\r\n".encode())
    assert inspect.lines(tmp_path / "marked.txt") == ["The cat.", "A dog."]


def test_a_model_has_room_for_a_choice(tmp_path, capsys):
    (tmp_path / "texts.txt").write_text("\n".join(TEXTS))
    rest = ["--texts", str(tmp_path / "texts.txt"), "--out", str(tmp_path / "out"), "--norms", "fro", *SMALL]
    for count, said in ((1, "1 position"), (0, "0 positions"), (-1, "-1 positions")):
        model = with_positions(tmp_path / f"of {count}", count)
        assert command.main(["inspect", str(model), *rest]) == 1
        *_, last = capsys.readouterr().err.splitlines()
        sentence = f"the model has {said} for tokens, expected at least two"
        assert last == f"error: {model}/config.json: {sentence}"
    assert not (tmp_path / "out").exists()
    assert command.main(["inspect", str(with_positions(tmp_path / "of 4", 4)), *rest]) == 0


def test_a_share_that_leaves_nothing_to_fit_is_named(tmp_path, capsys):
    (tmp_path / "texts.txt").write_text("\n".join(TEXTS[:3]))
    (tmp_path / "one.txt").write_text(TEXTS[0])
    model, rest = bert(tmp_path / "model"), ["--out", str(tmp_path / "out"), "--norms", "fro", *SMALL]
    few, leaves = "expected at least two queries to fit", "and holding out the share {} of the texts leaves {}"
    three = f"3 texts with 3 queries: {few}, {leaves}; give more texts or hold out fewer"
    for texts, share, words in (
        ("texts.txt", "0.9", three.format("0.9", 0)),
        ("texts.txt", "0.6", three.format("0.6", 1)),
        ("one.txt", "0.0", f"1 text with 1 query: {few}; give more texts"),
    ):
        call = ["inspect", str(model), "--texts", str(tmp_path / texts), "--held-out", share]
        assert command.main([*call, *rest]) == 1
        *_, last = capsys.readouterr().err.splitlines()
        assert last == f"error: {words}"


def test_a_norm_that_a_model_cannot_have_is_refused_before_anything_is_read(tmp_path, capsys):
    rotary("llama", tmp_path / "model")
    (tmp_path / "model/model.safetensors").unlink()
    (tmp_path / "gguf").write_bytes(b"GGUF")
    for model, norms in itertools.product(("model", "gguf"), (["nuc"], ["fro", "nuc"])):
        assert command.main(["inspect", str(tmp_path / model), "--out", str(tmp_path / "out"), "--norms", *norms]) == 1
        sentence = "its logits depend on distance, so only the Frobenius norm is offered: ask for fro"
        assert capsys.readouterr().err == f"error: {tmp_path / model}: {sentence}\n"
    rotary("llama", tmp_path / "model")
    assert "status_nuc" not in inspect.heads(tmp_path / "model", TEXTS[:6], layers=[0], heads=[0], draws=0)


def test_a_file_is_known_by_what_is_in_it(tmp_path, capsys):
    np.savez(
        tmp_path / "a.npz", tokens=np.eye(6)[None].repeat(2, 0) * [[[1]], [[2]]], queries=np.eye(6)[:2], W=np.eye(6)
    )
    (tmp_path / "a.npz").rename(tmp_path / "ARRAYS.NPZ")
    assert len(inspect.heads(tmp_path / "ARRAYS.NPZ", held_out=0, draws=0)) == 1
    (tmp_path / "MODEL").write_bytes(b"GGUF")
    assert command.main(["why", str(tmp_path / "MODEL"), "--out", str(tmp_path / "why.csv")]) == 1
    assert (
        capsys.readouterr().err
        == f"error: {tmp_path}/MODEL: cannot be read as GGUF (it ends before what its header says is in it)\n"
    )
