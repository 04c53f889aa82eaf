"""Support tokens with multipliers, and flip radii: closed forms, and rivals that are moved."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from small_models import TEXTS, bert, gpt2, rotary

from attnsvm import command, inspect
from attnsvm.inspect.layers import Inputs, Layer, selections
from attnsvm.inspect.lifted import Head
from attnsvm.inspect.positions import Disentangled, Rotary
from attnsvm.inspect.reasons import COLUMNS, flips, in_words, reasons
from attnsvm.system import store
from attnsvm.system.errors import UserError


def inputs(n=8, d=5, longest=6, seed=0, **more):
    rng = np.random.default_rng(seed)
    counts = rng.integers(2, longest + 1, n)
    tokens, queries = [rng.normal(size=(T, d)) for T in counts], rng.normal(size=(n, d))
    for X in tokens:
        X[:, -1] = 1
    marks = [np.arange(T) == 0 for T in counts]
    return Inputs(tokens, queries, [], marks, np.arange(n), counts - 1, moving=d - 1, **more)


@pytest.mark.parametrize("T", [2, 5])
def test_orthonormal_tokens_have_a_closed_form(T):
    """W_mm holds the selected token against the mean of the others: T − 1 equal multipliers."""
    one = Inputs([np.eye(T)], np.array([[2.0]]), [], [np.zeros(T, bool)], np.zeros(1, int), np.array([-1]))
    table = reasons(Layer(0, one, {0: 3 * np.eye(T)[:, :1]}), 0, np.arange(1))
    assert list(table.columns) == list(COLUMNS)
    assert table.support.tolist() == list(range(1, T))
    assert (table.selected == 0).all()
    np.testing.assert_allclose(table.multiplier, np.sqrt(1 / (T * (T - 1))) / 2, rtol=1e-8)
    np.testing.assert_allclose(table.radius, 1.0, rtol=1e-12)  # the others have no logit: each rises along e_0


def ways():
    """Heads of every way in which logits depend on distance, and whether rows that are not turned have weights."""
    rng = np.random.default_rng(2)
    place = Disentangled(*rng.normal(size=(2, 7, 5)), lambda distance: distance.astype(int))
    rotated = [Head(*rng.normal(size=(2, 5, 5)), Rotary(np.array([0.3, 1.1]), True)) for _ in range(2)]
    return [(rotated[0], False), (rotated[1], True), (Head(*rng.normal(size=(2, 5, 5)), place), False)]


@pytest.mark.parametrize(("head", "latent"), ways(), ids=["rotary", "latent", "disentangled"])
def test_a_rival_that_moves_so_far_along_the_slope_draws_level(head, latent):
    plain = inputs()
    given = inputs(
        distances=[T - 1.0 - np.arange(T) for T in plain.counts],
        unturned=[np.linspace(0.5, 2, T) for T in plain.counts] if latent else [],
    )
    selected = selections(given, head)
    away = flips(head, given, selected)
    assert all(np.isinf(one[a]) and (np.delete(one, a) > 0).all() for one, a in zip(away, selected, strict=True))
    slope = head.slope(given)
    slope[:, -1] = 0  # the constant stays
    slope /= np.linalg.norm(slope, axis=1, keepdims=True)
    length = np.concatenate([np.where(np.isinf(one), 0.0, one) for one in away])
    moved = np.split(given.flat + length[:, None] * slope, np.cumsum(given.counts)[:-1])
    logits = np.split(head.logits(replace(given, tokens=moved)), np.cumsum(given.counts)[:-1])
    for one, a in zip(logits, selected, strict=True):
        np.testing.assert_allclose(one, one[a], atol=1e-9 * max(1, np.abs(one).max()))


def test_frozen_norms_have_no_radius(tmp_path):
    for name in ("qwen3", "mistral"):
        rotary(name, tmp_path / name)
    normed = inspect.why(tmp_path / "qwen3", TEXTS, layer=1, head=2)
    assert normed.radius.isna().all()
    turned = inspect.why(tmp_path / "mistral", TEXTS, layer=1, head=2, text=3, query="last")
    assert (turned[["text", "query"]] == [3, 6]).all(axis=None)
    assert (turned.radius > 0).all()
    words = TEXTS[3].replace(".", " .").split()
    assert (turned.selected_word == words[turned.selected[0]]).all()
    assert (turned.nearest != turned.selected).all()
    said = in_words(turned)[2]
    assert said.startswith(f"  “.” attends to “{turned.selected_word[0]}”")
    assert said.endswith(f" moves by {turned.radius[0]:.2g}.")
    share = 100 * turned.multiplier.max() / turned.multiplier.sum()
    assert f"{turned.support_word[turned.multiplier.argmax()]}” in place 4 ({share:.0f} %)" in said


def test_multipliers_of_a_head_add_up_to_one_over_its_margin(tmp_path):
    folder = bert(tmp_path)
    table = inspect.why(folder, TEXTS, layer=1, head=1)
    row = inspect.heads(folder, TEXTS, layers=[1], heads=[1], norms=["fro"], draws=0, loss=False).iloc[0]
    assert table.multiplier.sum() == pytest.approx(1 / row.margin_fro, rel=1e-8)
    assert table.margin.unique() == pytest.approx([row.margin_fro], rel=1e-8)
    assert table.multiplier.notna().sum() <= row.support_fro


def test_the_command_writes_a_table(tmp_path, capsys):
    rng = np.random.default_rng(0)
    tokens, queries = rng.normal(size=(9, 4, 3)), rng.normal(size=(9, 3))
    np.savez(tmp_path / "a.npz", tokens=tokens, queries=queries, W=rng.normal(size=(2, 3, 3)))
    call = ["why", str(tmp_path / "a.npz"), "--head", "1", "--out", str(tmp_path / "why.csv")]
    assert command.main(call) == 0
    first, margin, text, said, *_, last = capsys.readouterr().out.splitlines()
    assert first == str(tmp_path / "why.csv")
    held = inspect.why(tmp_path / "a.npz", head=1, text=0)
    fitted = "it is fitted on 6 queries that inspect fits."
    assert margin == f"The W of least norm holds the selections with margin 1/‖W‖ = {held.margin[0]:.3g}; {fitted}"
    assert text == "Text 0"
    attends = f"  the query attends to token {held.selected[0]}, weight {held.weight[0]:.2f}"
    assert said.startswith(f"{attends}, then to token {held.runner_up[0]}; held against token ")
    assert last == "1 more selection is in the table; --text N tells that of one text, fitted or not."
    table = pd.read_csv(tmp_path / "why.csv")
    assert list(table.columns) == list(COLUMNS)
    pd.testing.assert_frame_equal(
        table.dropna(axis=1, how="all"),
        inspect.why(tmp_path / "a.npz", head=1).replace("", None).dropna(axis=1, how="all"),
        check_dtype=False,
    )
    assert command.main([*call, "--text", "9"]) == 1
    assert capsys.readouterr().err == "error: text 9: the texts have the numbers 0 to 8\n"
    away = np.setdiff1d(np.arange(9), table["text"])[0]
    assert inspect.why(tmp_path / "a.npz", text=away).attrs["fitted"] == f"6 queries that inspect fits, and text {away}"


def test_numbers_that_there_are_none_of_are_said_before_libraries_are_loaded(tmp_path, monkeypatch):
    monkeypatch.setattr(inspect, "_needs", None)
    for kind, asked, said in ((bert, {"head": 9}, "head 9"), (gpt2, {"layer": 7}, "layer 7")):
        with pytest.raises(UserError, match=f"^{said}: the model has .*s 0 to 1$"):
            inspect.why(kind(tmp_path / said), TEXTS, **asked)


def test_a_head_that_nothing_separates_has_no_reasons(tmp_path):
    """All tokens are equal, so no selection has a margin."""
    np.savez(tmp_path / "a.npz", tokens=np.ones((3, 2, 2)), queries=np.diag([1.0, 2, 3])[:, 1:], W=np.ones((2, 2)))
    with pytest.raises(UserError, match="layer 0, head 0: no W is certified to separate what it selects, so no token"):
        inspect.why(tmp_path / "a.npz")


SEPARATORS = "\v\f\x1c\x1d\x1e\x85\u2028\u2029"  # at which Python, and no editor, ends a line


def test_a_text_ends_where_an_editor_ends_a_line(tmp_path):
    texts = [f"the cat{one}sees" for one in SEPARATORS]
    for end in ("\n", "\r\n", "\r"):
        (tmp_path / "texts").write_bytes(end.join(["", *texts, " ", ""]).encode())
        assert inspect.lines(tmp_path / "texts") == texts


def test_a_table_has_a_line_for_each_row_whatever_the_words_are(tmp_path):
    words = [f"a{one}b" for one in f'\r\n{SEPARATORS}\x1b\0,"']
    T = len(words)
    one = Inputs([np.eye(T)], np.array([[2.0]]), [words], [np.zeros(T, bool)], np.zeros(1, int), np.array([-1]))
    table = reasons(Layer(0, one, {0: 3 * np.eye(T)[:, :1]}), 0, np.arange(1))
    store.save_csv(tmp_path / "why.csv", table)
    assert len((tmp_path / "why.csv").read_text("utf-8").splitlines()) == 1 + len(table) == T
    assert pd.read_csv(tmp_path / "why.csv")["support_word"].tolist() == table["support_word"].tolist()
    assert table["support_word"][0] == r"a\nb"
