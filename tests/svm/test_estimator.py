"""AttentionSVM follows scikit-learn's conventions and tells the truth about its fit."""

import pickle

import numpy as np
import pytest

from attnsvm import AttentionSVM, InfeasibleError, UncertifiedError

RNG = np.random.default_rng(0)
TOKENS, QUERIES, SELECTED = RNG.normal(size=(4, 5, 6)), RNG.normal(size=(4, 6)), RNG.integers(0, 5, 4)


@pytest.mark.parametrize("norm", ["fro", "nuc", "spectral", "l1", "linf", "l2.5"])
def test_fit_separates_what_it_is_told_to(norm):
    model = AttentionSVM(norm=norm)
    assert model.fit(TOKENS, QUERIES, SELECTED) is model
    assert model.status_ == "solved"
    assert model.infeasibility_ is None
    assert model.score(TOKENS, QUERIES, SELECTED) == 1.0
    assert (model.predict(TOKENS, QUERIES) == SELECTED).all()
    logits = np.array([[x @ model.W_ @ z for x in X] for X, z in zip(TOKENS, QUERIES, strict=True)])
    assert np.allclose(model.decision_function(TOKENS, QUERIES), logits, rtol=1e-12)
    margins = logits[np.arange(4), SELECTED][:, None] - logits
    others = np.arange(5) != SELECTED[:, None]
    assert np.isclose(model.margin_, margins[others].min(), rtol=1e-9)
    assert np.isclose(model.margin_, 1.0, rtol=1e-9)
    on_margin = {(i, t) for i, t in np.argwhere(others & (margins < 1 + 1e-6)).tolist()}
    assert {tuple(pair) for pair in model.support_.tolist()} == on_margin
    assert (model.dual_ >= 0).all()


def test_sets_get_equal_logits_inside_and_score_counts_the_whole_set():
    chosen = np.eye(5, dtype=bool)[SELECTED]
    chosen[:, 0] = True
    model = AttentionSVM().fit(TOKENS, QUERIES, chosen)
    logits = model.decision_function(TOKENS, QUERIES)
    for row, inside in zip(logits, chosen, strict=True):
        assert np.ptp(row[inside]) < 1e-9 * np.abs(row).max()
        assert row[inside].min() - row[~inside].max() >= 1 - 1e-9
    assert model.score(TOKENS, QUERIES, chosen) == 1.0


def test_score_is_a_share():
    model = AttentionSVM().fit(TOKENS, QUERIES, SELECTED)
    wrong = SELECTED.copy()
    wrong[0] = (wrong[0] + 1) % 5
    assert model.score(TOKENS, QUERIES, wrong) == 0.75


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


def test_parameters_are_got_and_set_as_in_scikit_learn():
    model = AttentionSVM(norm="nuc", tol=1e-6)
    assert model.get_params() == {"norm": "nuc", "tol": 1e-6}
    assert AttentionSVM(**model.get_params()).get_params() == model.get_params()
    assert model.set_params(norm="fro", tol=None) is model
    assert repr(model) == "AttentionSVM(norm='fro', tol=None)"
    with pytest.raises(ValueError, match="no parameter 'C'"):
        model.set_params(C=1.0)


def test_an_unreachable_tolerance_is_an_error_that_says_how_far_it_got():
    with pytest.raises(UncertifiedError, match=r"not proved to tol = 1.0e-30: .* gap stayed at .*e-"):
        AttentionSVM(norm="l3", tol=1e-30).fit(TOKENS * 1e-3, QUERIES, SELECTED)


@pytest.mark.parametrize(("params", "sentence"), [({"norm": "l2,1"}, "norm: expected"), ({"tol": 0}, "tol: expected")])
def test_a_bad_parameter_is_named(params, sentence):
    with pytest.raises(ValueError, match=sentence):
        AttentionSVM(**params).fit(TOKENS, QUERIES, SELECTED)


def test_prediction_needs_a_fit_and_the_fitted_dimensions():
    with pytest.raises(AttributeError, match="not fitted"):
        AttentionSVM().predict(TOKENS, QUERIES)
    model = AttentionSVM().fit(TOKENS, QUERIES, SELECTED)
    with pytest.raises(ValueError, match=r"tokens: expected shape \(n, T, 6\), got \(4, 5, 3\)"):
        model.predict(TOKENS[..., :3], QUERIES)
    with pytest.raises(ValueError, match=r"queries: expected shape \(n, 6\), got \(4, 3\)"):
        model.predict(TOKENS, QUERIES[:, :3])


def test_a_failed_fit_leaves_no_answer_behind():
    model = AttentionSVM().fit(TOKENS, QUERIES, SELECTED)
    twice = np.repeat(TOKENS[:1], 2, axis=0), np.repeat(QUERIES[:1], 2, axis=0), np.array([0, 1])
    with pytest.raises(InfeasibleError) as caught:
        model.fit(*twice)
    assert model.status_ == "infeasible"
    assert not {"W_", "margin_", "support_", "gap_"} & set(vars(model))
    with pytest.raises(AttributeError, match="not fitted"):
        model.predict(TOKENS, QUERIES)
    again = pickle.loads(pickle.dumps(caught.value))
    assert again.inputs == caught.value.inputs
    assert str(again) == str(caught.value)
