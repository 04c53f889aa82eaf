"""What is said of a head, beside computations of our own; both null models; the table and the settings."""

import itertools
import os
from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from small_models import TEXTS, rotary

from attnsvm import inspect
from attnsvm.inspect import cycles
from attnsvm.inspect.columns import columns
from attnsvm.inspect.layers import Inputs, Layer, selections, split, told
from attnsvm.inspect.measures import Bench, Plan, does, half_length, measure, predicted_and_measured
from attnsvm.inspect.nulls import permuted, random_head
from attnsvm.inspect.solving import Problem, by_a_cycle
from attnsvm.svm import audit_log, ragged, solve
from attnsvm.system.errors import UserError


def inputs(n=12, d=4, e=3, seed=0, delimiters=False):
    rng = np.random.default_rng(seed)
    counts = rng.integers(2, 6, n)
    marks = [(np.arange(T) == 0) & delimiters for T in counts]
    tokens = [rng.normal(size=(T, d)) for T in counts]
    return Inputs(tokens, rng.normal(size=(n, e)), [], marks, np.arange(n), np.zeros(n, dtype=int))


def file_of_arrays(path, seed=0, n=40, T=5, d=4, H=2, **more):
    rng = np.random.default_rng(seed)
    arrays = {"tokens": rng.normal(size=(n, T, d)), "queries": rng.normal(size=(n, d)), "W": rng.normal(size=(H, d, d))}
    arrays |= more
    np.savez(path, **{name: array for name, array in arrays.items() if array is not None})
    return path


def test_equal_vectors_have_equal_numbers():
    """As NumPy finds them, which sorts; −0.0 equals 0.0, and what differs in one digit does not."""
    rng = np.random.default_rng(0)
    rows = rng.integers(-1, 2, (60, 3)).astype(float)
    rows[::7] *= -1.0  # zeros with a sign
    rows[5] = np.nextafter(rows[4], 2.0)
    numbers = cycles.equal(rows)
    assert len(np.unique(numbers)) == len(np.unique(rows, axis=0)) < 60
    np.testing.assert_array_equal(numbers[:, None] == numbers, (rows[:, None] == rows).all(2))
    assert cycles.equal(rows[:, ::2][::-1]).shape == (60,), "rows that are no block of memory"


@pytest.mark.parametrize("norm", ["fro", "nuc"])
def test_an_answer_is_one_in_the_ledger_however_many_led_to_it(norm):
    """A pipeline's stage counts what it keeps against it: also where a cycle refutes, which asks no solver."""
    given = inputs()
    contradicting = Inputs([np.eye(4)[:2]] * 2, np.ones((2, 3)), [], [np.zeros(2, bool)] * 2, np.arange(2), np.zeros(2))
    for one, selected, status in (
        (given, selections(given, np.random.default_rng(1).normal(size=(4, 3))), "solved"),
        (contradicting, np.array([0, 1]), "infeasible"),
    ):
        before = Counter(audit_log.judged)
        assert Problem(one).certified(selected, norm).status == status
        assert audit_log.judged - before == Counter([status])


@pytest.mark.parametrize("norm", ["fro", "nuc"])
def test_coordinates_and_a_working_set_change_no_solution(norm):
    """Against the solver on all constraints of the full matrices."""
    given = inputs(d=9, e=30)  # fewer queries than dimensions, and fewer dimensions than differences
    W = np.random.default_rng(1).normal(size=(9, 30))
    selected = selections(given, W)
    ours = Problem(given).certified(selected, norm)
    whole = solve(ragged(zip(given.tokens, given.queries, selected.tolist(), strict=True)), norm)
    assert ours.solved
    assert whole.solved
    assert ours.rank == whole.rank
    # The value is proved to 1e-7 and reached to 1e-9; in the Frobenius norm the solution is unique.
    size = {"fro": np.linalg.norm, "nuc": lambda A: np.linalg.norm(A, "nuc")}[norm]
    assert size(ours.W) == pytest.approx(size(whole.W), rel=1e-8)
    if norm == "fro":
        np.testing.assert_allclose(ours.W, whole.W, rtol=0, atol=1e-8 * size(whole.W))


def test_the_cosine_is_that_of_the_projections():
    """Against least squares on the constraint matrices as vectors."""
    given, rng = inputs(n=5, d=4, e=6), np.random.default_rng(3)
    A, B = rng.normal(size=(2, 4, 6))
    rows = [
        np.outer(X[t] - X[0], z).ravel()
        for X, z in zip(given.tokens, given.queries, strict=True)
        for t in range(1, len(X))
    ]
    basis = np.linalg.svd(np.array(rows), full_matrices=False)[2]
    a, b = basis @ A.ravel(), basis @ B.ravel()
    expected = a @ b / np.linalg.norm(a) / np.linalg.norm(b)
    assert Problem(given).cosines(A, [B, -A]) == pytest.approx([expected, -1.0], abs=1e-7)  # the ridge is 1e-10


def test_a_head_that_is_a_solution_is_said_to_be_one():
    given = inputs(n=14, d=5, e=5)
    plan = Plan(held_out=0.0, draws=1, nuclear_inputs=14)
    first = np.random.default_rng(4).normal(size=(5, 5))
    for norm in ("fro", "nuc"):
        W = 7.0 * Problem(given).certified(selections(given, first), norm).W
        row, _ = measure(Bench(Layer(0, given, {0: W}), plan), 0)
        assert row[f"alignment_{norm}"] == pytest.approx(1, abs=1e-6)
        assert row[f"margin_ratio_{norm}"] == pytest.approx(1, abs=1e-7)
        assert row[f"rank_{norm}"] == row["rank_head"]


def test_the_row_says_what_can_be_counted_by_hand(tmp_path):
    marks = np.arange(5) == np.zeros((40, 1))
    layer = inspect._needs("arrays").read(file_of_arrays(tmp_path / "x.npz", delimiters=marks))[0]
    bench = Bench(layer, Plan(draws=1, nuclear_inputs=6))
    row, marked = measure(bench, 1)
    fit, W = bench.fit, layer.heads[1]
    chosen = [int((X @ W @ z).argmax()) for X, z in zip(fit.tokens, fit.queries, strict=True)]
    assert [mark[0] for mark in marked["fit"]] == chosen
    assert row["delimiter_selected"] == np.mean([a == 0 for a in chosen])
    assert row["constraints_fro"] == 4 * row["inputs_fro"] == 4 * 28
    assert row["inputs_held_out"] == 12
    assert row["chance"] == pytest.approx(1 / 5)
    svm = solve(ragged(zip(fit.tokens, fit.queries, chosen, strict=True)))
    assert row["margin_fro"] == pytest.approx(1 / np.linalg.norm(svm.W), rel=1e-9)
    assert row["support_fro"] == (svm.dual > 1e-9).sum() == sum(len(mark) - 1 for mark in marked["fit"])
    held = bench.held
    right = [(X @ svm.W @ z).argmax() == (X @ W @ z).argmax() for X, z in zip(held.tokens, held.queries, strict=True)]
    assert row["predicted_fro"] == np.mean(right)
    left = W - (W * svm.W).sum() / (svm.W * svm.W).sum() * svm.W
    away = [(X @ left @ z).argmax() != (X @ W @ z).argmax() for X, z in zip(held.tokens, held.queries, strict=True)]
    assert row["changed_fro"] == np.mean(away)
    assert row["changed_low_fro"] < row["changed_fro"] < row["changed_high_fro"]
    other = bench.turned(svm.W)[0]
    np.testing.assert_allclose(*(np.linalg.svd(one, compute_uv=False) for one in (svm.W, other)), rtol=1e-9)
    assert abs((other * svm.W).sum()) < 0.9 * (svm.W * svm.W).sum()


def test_permutations_are_all_those_that_fit_and_equally_likely():
    selected, counts, rng = np.array([0, 1, 3, 2]), np.array([2, 2, 5, 4]), np.random.default_rng(0)
    fitting = {p for p in itertools.permutations([0, 1, 3, 2]) if all(np.array(p) < counts)}
    seen = {}
    for _ in range(2000):
        p = tuple(permuted(selected, counts, rng).tolist())
        seen[p] = seen.get(p, 0) + 1
    assert set(seen) == fitting
    # 2000 draws of one in four: five standard deviations
    assert all(abs(count - 2000 / len(fitting)) < 5 * np.sqrt(2000 / len(fitting)) for count in seen.values())


def test_a_random_head_has_the_singular_values_and_no_preferred_direction():
    rng = np.random.default_rng(0)
    W = rng.normal(size=(6, 2)) @ rng.normal(size=(2, 5))
    heads = np.array([random_head(W, rng) for _ in range(400)])
    sigma = np.linalg.svd(W, compute_uv=False)
    np.testing.assert_allclose(np.linalg.svd(heads, compute_uv=False), np.tile(sigma, (400, 1)), atol=1e-12 * sigma[0])
    # Haar: entries of mean zero and variance ‖W‖²/(d e); five standard errors of the mean of 400
    spread = np.linalg.norm(W) / np.sqrt(30)
    assert np.abs(heads.mean(0)).max() < 5 * spread / np.sqrt(400)
    assert np.square(heads).mean() == pytest.approx(spread**2, rel=1e-9)


def test_contradictions_are_found_by_a_cycle_and_proved():
    rng = np.random.default_rng(0)
    a, b, c, z, other = rng.normal(size=(5, 4))
    given = [[a, b], [b, c], [c, a], [a, c]]

    def problem(queries):
        n = len(queries)
        tokens, marks = [np.array(X) for X in given[:n]], [np.zeros(2, dtype=bool)] * n
        return Problem(Inputs(tokens, np.array(queries), [], marks, np.arange(n), np.zeros(n, dtype=int)))

    around = problem([z, z, z]).certified(np.zeros(3, dtype=int), "fro")
    assert around.status == "infeasible"
    assert around.method == "a cycle of equal tokens"
    np.testing.assert_allclose(around.dual, 1 / 3)
    assert problem([z, z, other]).certified(np.zeros(3, dtype=int), "fro").solved
    whole = problem([z, other, z, z])
    two = whole.certified(np.zeros(4, dtype=int), "nuc")
    assert two.status == "infeasible"
    np.testing.assert_allclose(two.dual, [0, 0, 0.5, 0.5])
    assert by_a_cycle(whole.constraints(np.array([0, 0, 0, 1])), "nuc", *whole._same) is None


def test_texts_stay_on_one_side():
    given = inputs(n=30)
    given.text[:] = np.arange(30) // 3
    fit, held = split(given, 0.3, 100, np.random.default_rng(0))
    assert len(held) == 9
    assert sorted([*fit, *held]) == list(range(30))
    assert not set(given.text[fit]) & set(given.text[held])
    assert [len(side) for side in split(given, 0.3, 5, np.random.default_rng(0))] == [5, 5]


def test_the_table_is_the_same_for_any_number_of_processes_and_any_choice_of_heads(tmp_path):
    path = file_of_arrays(tmp_path / "x.npz")
    settings = {"draws": 1, "nuclear_inputs": 6}
    table = inspect.heads(path, **settings)
    assert list(table.columns) == list(columns(("fro", "nuc")))
    assert (table.status_fro == "solved").all()
    before = dict(os.environ)
    beside = inspect.heads(path, jobs=2, **settings)
    assert dict(os.environ) == before
    only = inspect.heads(path, heads=[1], norms=["nuc"], **settings)
    assert set(only.columns) < set(table.columns)
    for name in only.columns.drop(["beats", "undecided", "controls"]):  # of those norms
        assert only[name][0] == table[name][1] or (only[name][0] != only[name][0]), name
    # Threads of BLAS may add in another order.
    for name in table.select_dtypes("number"):
        np.testing.assert_allclose(beside[name], table[name], rtol=1e-6, atol=1e-12, err_msg=name)


def test_factors_and_padding_are_read_as_w_and_tokens_are(tmp_path):
    rng = np.random.default_rng(0)
    K, Q = rng.normal(size=(2, 2, 4, 3))
    lengths = rng.integers(2, 6, 40)
    one = inspect.heads(file_of_arrays(tmp_path / "KQ.npz", W=None, K=K, Q=Q, lengths=lengths), norms=["fro"], draws=0)
    two = inspect.heads(
        file_of_arrays(tmp_path / "W.npz", W=K @ Q.swapaxes(1, 2), lengths=lengths), norms=["fro"], draws=0
    )
    assert one.equals(two)
    assert one.rank_head.tolist() == [3, 3]
    assert (one.constraints_fro < 4 * one.inputs_fro).all()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"tokens": None}, "{}: the array tokens is missing, (n, T, d)"),
        ({"queries": None}, "{}: the array queries is missing, (n, e)"),
        ({"W": None}, "{}: expected the array W, or K and Q"),
        ({"K": np.ones((4, 2))}, "{}: the array K is not one of W, delimiters"),
        ({"mask": np.ones(4)}, "{}: the array mask is not one of W, delimiters, lengths, queries, tokens, words"),
        ({"W": np.full((4, 4), np.nan)}, "{}: W: expected finite numbers in shape"),
        ({"W": np.ones((3, 4))}, "{}: W: expected shape (d, e) or (H, d, e) with (4, 4), got (1, 3, 4)"),
        ({"lengths": np.arange(1, 41) % 5 + 1}, "{}: input 4 has one token, expected at least two"),
        ({"delimiters": np.zeros(40, dtype=bool)}, "{}: delimiters: expected a boolean array of shape (40, 5)"),
        ({"words": np.array(["a"])}, "{}: words: expected an array of texts of shape (40, 5)"),
        ({"words": np.full((40, 5), b"a")}, "{}: words: expected an array of texts of shape (40, 5)"),
    ],
)
def test_arrays_that_are_not_as_described_are_one_sentence(change, sentence, tmp_path):
    path = file_of_arrays(tmp_path / "x.npz", **change)
    with pytest.raises((UserError, ValueError)) as caught:
        inspect.heads(path)
    assert str(caught.value).startswith(sentence.format(path))


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"norms": ["l1"]}, "norms: expected fro, nuc or both, got l1"),
        ({"norms": []}, "norms: expected fro, nuc or both, got none"),
        ({"inputs": 1}, "inputs: expected a number from 2 on, got 1"),
        ({"held_out": 1.0}, "held_out: expected a share from 0 up to below 1, got 1.0"),
        ({"query": "some"}, "query: expected random, first, last, all, or a number, got 'some'"),
        ({"heads": [2]}, "head 2: the model has heads 0 to 1"),
        ({"layers": [1]}, "{}: a file of arrays is one layer, number 0"),
        ({"texts": ["a"]}, "{}: a file of arrays holds its inputs; give texts only with a model in a folder"),
    ],
)
def test_a_wrong_setting_is_one_sentence(settings, sentence, tmp_path):
    path = file_of_arrays(tmp_path / "x.npz")
    with pytest.raises(UserError) as caught:
        inspect.heads(path, **settings)
    assert str(caught.value) == sentence.format(path)


@pytest.mark.filterwarnings("error")
def test_a_head_of_zeros_has_no_margin_to_compare(tmp_path):
    """As one that somebody pruned: it selects the first token, and is aligned with nothing."""
    W = np.zeros((2, 8, 8))
    W[1] = np.random.default_rng(1).normal(size=(8, 8))
    table = inspect.heads(file_of_arrays(tmp_path / "a.npz", W=W, n=12, d=8), norms=["fro"], draws=1)
    assert table["rank_head"].tolist() == [0, 8]
    assert table["status_fro"].tolist() == ["solved"] * 2
    assert table[["margin_ratio_fro", "alignment_fro"]].isna().all(axis=1).tolist() == [True, False]
    assert inspect.why(tmp_path / "a.npz", head=0)["radius"].isna().all()


def test_with_distances_too_nothing_need_be_held_out(tmp_path):
    rotary("llama", tmp_path)
    table = inspect.heads(tmp_path, TEXTS[:6], layers=[0], heads=[0], norms=["fro"], draws=1, held_out=0)
    assert table["inputs_held_out"].tolist() == [0]
    assert table["status_fro"].tolist() == ["solved"]
    assert table["predicted_fro"].isna().all()


NUMPY = {
    **{"inputs": np.int64(20), "nuclear_inputs": np.int32(5), "held_out": np.float64(0.3), "draws": np.uint8(1)},
    **{"seed": np.int64(2), "jobs": np.array(1), "norms": np.array(["fro", "nuc"]), "heads": np.array([0])},
}
PLAIN = {"inputs": 20, "nuclear_inputs": 5, "held_out": 0.3, "draws": 1, "seed": 2, "jobs": 1, "heads": [0]}


def test_a_setting_of_numpy_is_the_setting(tmp_path):
    """An array of one zero is no wish for all heads."""
    path = file_of_arrays(tmp_path / "x.npz")
    table = inspect.heads(path, **NUMPY)
    assert table.equals(inspect.heads(path, **PLAIN))
    assert table["head"].tolist() == [0]
    assert inspect.heads(path, norms="fro", draws=0, layers=0)["head"].tolist() == [0, 1]
    for name, value in (("layers", [0.0]), ("heads", [True]), ("heads", []), ("jobs", True), ("held_out", np.nan)):
        with pytest.raises(UserError, match=rf"^{name}: expected "):
            inspect.heads(path, **{name: value})


NO_LISTS = ["the cat", b"the cat", 3, {"the": 1}, {"the"}, pd.DataFrame({"the": ["a"]}), np.array([["a"]])]
NO_TEXTS = [None, np.nan, pd.NA, np.ma.masked, b"the", ["the", "cat"], 3, pd.Series(["a"]), True]


@pytest.mark.parametrize("look", [inspect.heads, inspect.why])
def test_what_is_no_text_is_named_with_its_place(look, tmp_path):
    for given in NO_LISTS:
        with pytest.raises(UserError, match=r"^texts: expected a list of texts, got (one text, 'the cat'|a \w+)$"):
            look(tmp_path, given)
    for given in NO_TEXTS:
        with pytest.raises(UserError, match=r"^texts: expected a text in place 2, got .*; leave it out or mend it$"):
            look(tmp_path, ["the cat", given])
    for given in (("a", "b"), np.array(["a", "b"]), pd.Series(["a", "b"]), iter(["a", "b"])):
        assert inspect.settled(texts=given)["texts"] == ["a", "b"]


def test_what_one_step_counts_is_shown_at_once():
    """A bar that takes its texts one after another says of the first that it took as long as all."""
    shown = []
    bar = type("Bar", (list,), {"update": lambda _, count: shown.append(count)})
    assert list(told("abc", 3, 7, lambda *_, **__: bar())) == ["a", "b", "c"]
    assert shown == [3, 2, 2]


def test_what_a_head_does_in_most_inputs_is_said_in_words():
    given = inputs(n=10, seed=6)
    words = [["a", "b", "c", "d", "e", "a"][: len(X)] for X in given.tokens]
    given = replace(given, words=words, position=np.arange(10) % 2)
    after = np.minimum(given.position + 1, given.counts - 1)
    assert does(given, np.arange(10), after) == "the next token in 100 %"
    first = np.where(np.arange(10) < 7, 0, given.counts - 1)
    assert does(given, np.arange(10), first).startswith("“a” in ")
    said = "the first token in 70 %, else another one in 30 %"
    assert does(replace(given, words=[]), np.arange(10), first, ["first"]) == said
    assert does(replace(given, words=[]), np.arange(10), first) == said.replace("another one", "the last token")


def test_at_that_length_half_of_the_weight_is_left():
    """Equal tokens share it, and a token alone never loses it."""
    assert half_length(np.zeros(7)) == pytest.approx(2.0)
    assert half_length(np.zeros(1)) == half_length(np.array([1e4, 0.0])) == np.inf
    m = np.log(99.0)
    assert half_length(np.array([m, 0.0, 0.0])) == pytest.approx(100.0)
    weights = np.exp(np.append(m, np.zeros(99)))  # one token and 99 behind it: 100 tokens
    assert weights[0] / weights.sum() == pytest.approx(0.5)


def test_both_agree_if_further_tokens_are_alike_and_not_if_they_stay_out():
    alike = [np.append(5.0, np.zeros(T - 1)) for T in (4, 5, 6, 20, 30, 40)]
    row = predicted_and_measured(alike)
    assert row["half_length_predicted"] == pytest.approx(1 + np.exp(5.0)) == pytest.approx(row["half_length_measured"])
    out = [np.concatenate([one[:4], one[4:] - 50.0]) for one in alike]
    assert (
        predicted_and_measured(out)["half_length_measured"] > 5 * predicted_and_measured(out)["half_length_predicted"]
    )
    short = predicted_and_measured([np.arange(4.0)] * 5)
    assert np.isfinite(short["half_length_predicted"])
    assert np.isnan([short[f"half_length_measured{end}"] for end in ("", "_low", "_high")]).all()
