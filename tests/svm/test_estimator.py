"""AttentionSVM follows scikit-learn's conventions and tells the truth about its fit."""

import pickle
import re
import sys
from contextlib import suppress

import numpy as np
import pytest
import torch
from svm_references import conflict, gaussian

from attnsvm import AttentionSVM, InfeasibleError, UncertifiedError, geometry

TOKENS, QUERIES, SELECTED = gaussian(0, 4, 5, 6)


@pytest.mark.parametrize("norm", ["fro", "nuc", "spectral", "l1", "linf", "l2.5"])
def test_fit_separates_what_it_is_told_to(norm):
    model = AttentionSVM(norm=norm)
    assert model.fit(TOKENS, QUERIES, SELECTED) is model
    assert model.status_ == "solved"
    assert model.infeasibility_ is None
    assert model.score(TOKENS, QUERIES, SELECTED) == 1.0
    assert (model.predict(TOKENS, QUERIES) == SELECTED).all()
    assert model.score(TOKENS, QUERIES, (SELECTED + np.eye(4, dtype=int)[0]) % 5) == 0.75
    logits = np.array([[x @ model.W_ @ z for x in X] for X, z in zip(TOKENS, QUERIES, strict=True)])
    assert np.allclose(model.decision_function(TOKENS, QUERIES), logits, rtol=1e-12)
    margins = logits[np.arange(4), SELECTED][:, None] - logits
    others = np.arange(5) != SELECTED[:, None]
    assert np.isclose(margins[others].min(), 1.0, rtol=1e-9)
    assert np.isclose(model.margin_, 1 / model.solution_.high, rtol=1e-6)
    on_margin = {(i, t) for i, t in np.argwhere(others & (margins < 1 + 1e-6)).tolist()}
    assert {tuple(pair) for pair in model.support_.tolist()} == on_margin
    assert (model.dual_ >= 0).all()


@pytest.mark.parametrize("norm", [*geometry.NAMES, "l1.75"])
def test_what_is_solved_selects_whatever_the_lengths(norm):
    solved, largest = 0, 60 if norm in ("fro", "nuc") else 6
    for seed in range(40):
        rng = np.random.default_rng(seed)
        n, T, d, e = rng.integers(1, [6, 5, largest + 1, largest + 1])
        tokens = rng.normal(size=(n, T + 1, d)) * 10 ** rng.uniform(-12, 12, (n, T + 1, 1))
        queries, selected = rng.normal(size=(n, e)) * 10 ** rng.uniform(-12, 12, (n, 1)), rng.integers(T + 1, size=n)
        with suppress(InfeasibleError, UncertifiedError):
            model = AttentionSVM(norm=norm).fit(tokens, queries, selected)
            assert model.score(tokens, queries, selected) == 1.0
            assert model.margin_ > 0
            solved += 1
    assert solved >= 15


def test_sets_get_equal_logits_inside_and_score_counts_the_whole_set():
    chosen = np.eye(5, dtype=bool)[SELECTED]
    chosen[:, 0] = True
    model = AttentionSVM().fit(TOKENS, QUERIES, chosen)
    logits = model.decision_function(TOKENS, QUERIES)
    for row, inside in zip(logits, chosen, strict=True):
        assert np.ptp(row[inside]) < 1e-9 * np.abs(row).max()
        assert row[inside].min() - row[~inside].max() >= 1 - 1e-9
    assert model.score(TOKENS, QUERIES, chosen) == 1.0


PAIRS, EMPTY = list(zip(TOKENS, QUERIES, strict=True)), np.zeros((4, 5), dtype=bool)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ((PAIRS, [[0, 1]] * 4), "selected of input 0: expected integers of shape (1,), got int64"),
        ((PAIRS, [[True] * 4] * 4), "selected of input 0: expected a boolean array of shape (1, 5)"),
        ((PAIRS, EMPTY), "selected of input 0: expected a token in every set, got none"),
        ((PAIRS, [9] * 4), "selected of input 0: expected token numbers from 0 to 4"),
        ((PAIRS, [0] * 3), "selected: expected one per input, 4, got 3"),
        ((PAIRS, 3), "selected: expected one per input, 4, got int"),
        (([], []), "inputs: expected at least one (tokens, query, selected), got none"),
        ((PAIRS,), "input 0: expected (tokens, query, selected), got tuple"),
        (([7], [0]), "input 0: expected (tokens, query), got int"),
        ((TOKENS, SELECTED), "input 0: expected (tokens, query), got ndarray: give arrays as (tokens, queries, "),
        ((torch.tensor(TOKENS).bfloat16(), QUERIES, SELECTED), "tokens: expected shape (n, T, d), got a tensor x that"),
        ((torch.ones(1, requires_grad=True), QUERIES, SELECTED), "tokens: expected shape (n, T, d), got a tensor x"),
        ((TOKENS, QUERIES, EMPTY), "selected: expected a token in every set"),
        ((TOKENS, QUERIES, np.eye(4)), "selected: expected integers of shape (4,), got float64"),
    ],
)
def test_score_takes_what_fit_takes_and_nothing_else(given, sentence):
    model = AttentionSVM().fit(TOKENS, QUERIES, SELECTED)
    for function in (model.score, model.fit):
        with pytest.raises(ValueError, match=f"^{re.escape(sentence)}"):
            function(*given)


def test_infeasible_names_the_inputs_in_conflict_and_no_other():
    tokens, queries = np.concatenate([TOKENS, TOKENS[1:2]]), np.concatenate([QUERIES, QUERIES[1:2]])
    selected = np.append(SELECTED, (SELECTED[1] + 1) % 5)  # input 4 is input 1 with another token selected
    model = AttentionSVM()
    with pytest.raises(InfeasibleError, match="no W separates the selected tokens of inputs 1, 4") as caught:
        model.fit(tokens, queries, selected)
    assert caught.value.inputs == [1, 4]
    assert model.infeasibility_ is caught.value
    assert model.status_ == "infeasible"
    certificate = caught.value.certificate
    others = [(i, t) for i in range(5) for t in range(5) if t != selected[i]]
    total = sum(
        y * np.outer(tokens[i, selected[i]] - tokens[i, t], queries[i])
        for y, (i, t) in zip(certificate, others, strict=True)
    )
    assert (certificate >= 0).all()
    assert np.isclose(certificate.sum(), 1.0)
    assert np.abs(total).max() < 1e-12


def test_an_unreachable_tolerance_is_an_error_that_says_how_far_it_got():
    with pytest.raises(UncertifiedError, match=r"not proved to tol = 1\.0e-30: the duality gap is too large"):
        AttentionSVM(norm="l3", tol=1e-30).fit(TOKENS * 1e-3, QUERIES, SELECTED)


def test_prediction_needs_a_fit_and_the_fitted_dimensions():
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError, match="not fitted"):
        AttentionSVM().predict(TOKENS, QUERIES)
    model = AttentionSVM().fit(TOKENS, QUERIES, SELECTED)
    with pytest.raises(ValueError, match=r"tokens: expected shape \(n, T, 6\), got \(4, 5, 3\)"):
        model.predict(TOKENS[..., :3], QUERIES)
    with pytest.raises(ValueError, match=r"queries: expected shape \(n, 6\), got \(4, 3\)"):
        model.predict(TOKENS, QUERIES[:, :3])


def test_a_failed_fit_leaves_no_answer_behind():
    from sklearn.exceptions import NotFittedError

    model = AttentionSVM().fit(TOKENS, QUERIES, SELECTED)
    with pytest.raises(InfeasibleError) as caught:
        model.fit(*conflict())
    assert model.status_ == "infeasible"
    assert not {"solution_", "margin_", "support_", "gap_"} & set(vars(model))
    assert not hasattr(model, "W_")
    with pytest.raises(NotFittedError, match="not fitted"):
        model.predict(TOKENS, QUERIES)
    again = pickle.loads(pickle.dumps(caught.value))
    assert again.inputs == caught.value.inputs
    assert str(again) == str(caught.value)


def test_without_scikit_learn_an_unfitted_estimator_says_the_same(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.exceptions", None)
    with pytest.raises(ValueError, match="not fitted") as caught:
        AttentionSVM().predict(TOKENS, QUERIES)
    assert isinstance(caught.value, AttributeError)
    assert type(caught.value).__name__ == "NotFittedError"


# ------------------------------------------------------------------------------------ inputs of different lengths


def uneven(count=8, d=6, e=5, seed=0):
    """Triples (X_i, z_i, α_i) with 2 to 6 tokens, selected by a planted W."""
    rng = np.random.default_rng(seed)
    W, triples = rng.normal(size=(d, e)), []
    for i in range(count):
        X, z = rng.normal(size=(2 + i % 5, d)), rng.normal(size=e)
        triples.append((X, z, int((X @ W @ z).argmax())))
    return triples


def test_triples_pairs_and_arrays_are_three_ways_to_say_the_same():
    triples = uneven()
    pairs, selected = [(X, z) for X, z, _ in triples], [a for _, _, a in triples]
    one = AttentionSVM().fit(iter(triples))
    other = AttentionSVM().fit(pairs, selected)
    assert np.array_equal(one.W_, other.W_)
    assert len(one.dual_) == sum(len(X) - 1 for X, _, _ in triples)
    assert one.score(triples) == one.score(pairs, selected) == 1.0
    assert one.predict(pairs).tolist() == selected
    for (X, z), logits in zip(pairs, one.decision_function(pairs), strict=True):
        assert np.allclose(logits, X @ one.W_ @ z, rtol=1e-12)
    arrays = AttentionSVM().fit(TOKENS, QUERIES, SELECTED)
    again = AttentionSVM().fit(PAIRS, SELECTED)
    assert np.array_equal(arrays.W_, again.W_)


def test_float32_is_read_as_float64():
    single = TOKENS.astype(np.float32), QUERIES.astype(np.float32)
    model = AttentionSVM().fit(*single, SELECTED)
    assert model.W_.dtype == np.float64
    double = AttentionSVM().fit(*(array.astype(np.float64) for array in single), SELECTED)
    assert np.array_equal(model.W_, double.W_)


def test_a_verbose_fit_says_on_stderr_how_far_it_is(capsys):
    rng = np.random.default_rng(0)
    tokens, queries = rng.normal(size=(40, 11, 12)), rng.normal(size=(40, 12))
    selected = np.einsum("ntd,de,ne->nt", tokens, rng.normal(size=(12, 12)), queries).argmax(1)
    quiet = AttentionSVM().fit(tokens, queries, selected)
    assert capsys.readouterr().err == ""
    loud = AttentionSVM(verbose=True).fit(tokens, queries, selected)
    assert "relative gap" in capsys.readouterr().err
    assert np.array_equal(quiet.W_, loud.W_)
    assert loud.method_ == "augmented Lagrangian"


def test_a_conflict_of_many_inputs_has_a_short_message():
    error = InfeasibleError(list(range(1000)), np.ones(3))
    assert "inputs 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 990 more:" in str(error)


def test_scikit_learn_clones_and_cross_validates():
    from sklearn.base import clone
    from sklearn.model_selection import cross_val_score

    triples = uneven(60)
    pairs, selected = [(X, z) for X, z, _ in triples], [a for _, _, a in triples]
    model = AttentionSVM(norm="fro", tol=1e-9)
    copy = clone(model)
    assert copy is not model
    assert copy.get_params() == model.get_params()
    scores = cross_val_score(model, pairs, selected, cv=5)
    by_hand = []
    for held in np.array_split(np.arange(60), 5):
        rest = np.setdiff1d(np.arange(60), held)
        fitted = AttentionSVM().fit([triples[i] for i in rest])
        by_hand.append(fitted.score([triples[i] for i in held]))
    assert np.allclose(scores, by_hand)
    assert scores.mean() > 0.5  # two to six tokens, chosen by a W that 48 inputs show


class OfTable(AttentionSVM):
    """The estimator on a table, which is all that scikit-learn's checks have: of every row and a zero, the row wins."""

    def __sklearn_tags__(self):
        from sklearn.utils import InputTags

        tags = super().__sklearn_tags__()
        tags.input_tags = InputTags()
        return tags

    def fit(self, X, y=None):
        return super().fit(*self.inputs(X), np.zeros(len(X), dtype=int))

    def decision_function(self, X, queries=None):
        return super().decision_function(*self.inputs(X)) if queries is None else super().decision_function(X, queries)

    def score(self, X, y=None):
        return float((self.predict(X) == 0).mean())

    @staticmethod
    def inputs(X):
        X = np.asarray(X)
        return np.stack([X, np.zeros_like(X)], axis=1), X


EXPECTED = {
    **dict.fromkeys(
        [
            "check_complex_data",
            "check_estimators_empty_data_messages",
            "check_estimator_sparse_tag",
            "check_estimator_sparse_array",
            "check_estimator_sparse_matrix",
            "check_fit2d_predict1d",
        ],
        "the error is a sentence of ours, not the one that scikit-learn looks for",
    ),
    **dict.fromkeys(
        ["check_n_features_in", "check_n_features_in_after_fitting"], "tokens and queries have a size each"
    ),
    "check_estimators_dtypes": "one row is zero, and no W separates it from zero",
    "check_dtype_object": "numbers are asked for as numbers",
}


@pytest.mark.filterwarnings("ignore")
def test_it_stands_the_checks_of_scikit_learn():
    """Directly, `check_estimator` has no input of its shape and tests nothing but `clone`."""
    from sklearn.utils.estimator_checks import check_estimator

    found = check_estimator(OfTable(), expected_failed_checks=EXPECTED, on_fail=None)
    assert [(one["check_name"], one["exception"]) for one in found if one["status"] == "failed"] == []
    assert {one["check_name"] for one in found if one["status"] == "xfail"} == set(EXPECTED)
    passed = {one["check_name"] for one in found if one["status"] == "passed"}
    assert len(passed) >= 25
    assert {"check_estimators_pickle", "check_fit_idempotent", "check_estimators_unfitted"} <= passed


@pytest.mark.parametrize("size", [1.0, 1e6, 1e12, 1e40])
def test_inputs_in_conflict_are_named_whatever_their_units(size):
    """Multipliers differ as the tokens do: input 0 alone has a W."""
    tokens = np.array([[[1.0], [0.0]], [[-size], [0.0]], [[0.0], [0.0]]])
    with pytest.raises(InfeasibleError) as caught:
        AttentionSVM().fit(tokens[:2], np.ones((2, 1)), np.zeros(2, int))
    assert caught.value.inputs == [0, 1]


def test_inputs_that_are_named_cannot_be_separated():
    """The winner of input 0 lies beside a segment of two losers, and input 1 asks for the other side."""
    tokens = np.array([[[1e-10, 0.0], [0.0, 1.0], [0.0, -1.0]], [[-1.0, 0.0], [0.0, 0.0], [0.0, 0.0]]])
    selected = np.eye(3, dtype=bool)[[0, 0]]
    with pytest.raises(InfeasibleError) as caught:
        AttentionSVM().fit(tokens, np.ones((2, 1)), selected)
    named = caught.value.inputs
    with pytest.raises(InfeasibleError):
        AttentionSVM().fit(tokens[named], np.ones((len(named), 1)), selected[named])
