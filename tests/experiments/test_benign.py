"""Benign overfitting: coordinates against vectors, gradients, exact errors against samples, the choice of tokens."""

from itertools import product

import numpy as np
import pytest
from by_hand import descended

from attnsvm.experiments.literature.benign import problems as drawing
from attnsvm.experiments.literature.benign.descent import descend
from attnsvm.experiments.literature.benign.layer import OPTIONS, SIGNAL, parts, served
from attnsvm.experiments.literature.benign.measures import error, outputs, sizes, threshold, value
from attnsvm.experiments.literature.benign.svm import at_least_one, selecting, svm
from attnsvm.svm.solver import solve_batch

SETTINGS = {"sizes": [{"n": 5, "flips": 0.3}], "d": 60, "first_seed": 0, "instances": 4}
MULTIPLES = np.array([0.5, 1.5, 3.0])


@pytest.fixture(scope="module")
def solved():
    (cell,) = drawing.cells(SETTINGS)
    problems = drawing.problems(cell, SETTINGS)
    return problems, svm(problems, {"multiples": MULTIPLES}, {})


def test_flips_are_as_frequent_as_asked_and_signals_have_the_printed_scale():
    settings = SETTINGS | {"sizes": [{"n": 40, "flips": 0.2}], "instances": 50}
    (cell,) = drawing.cells(settings)
    true, flipped, noise, length = parts(*(getattr(drawing.problems(cell, settings), k) for k in ("tokens", "labels")))
    assert abs(flipped.mean() - 0.2) < 0.04
    assert abs(true.mean() - 0.5) < 0.05
    np.testing.assert_allclose(length, np.sqrt(60 / 40))
    assert abs((noise**2).sum(2).mean() / 58 - 1) < 0.02
    between = (noise @ noise.swapaxes(1, 2))[:, *np.triu_indices(40, 1)]
    assert abs(between.std() / np.sqrt(58) - 1) < 0.02


def test_descent_in_coordinates_is_descent_on_the_vectors():
    stream = np.random.default_rng(0)
    vectors, true, labels = stream.normal(size=(5, 30)), np.array([0, 1, 0, 1, 1]), np.array([1.0, -1, -1, -1, 1])
    lower = np.linalg.qr(vectors.T)[1].T  # rows: coordinates of the vectors in an orthonormal basis
    narrow, wide = (list(descend(rows, true, labels, np.array([[2.0]]), 0.1, [2, 40])) for rows in (lower, vectors))
    for (v, p), (w, q) in zip(narrow, wide, strict=True):
        np.testing.assert_allclose(v[:, :2], w[:, :2], atol=1e-12)
        np.testing.assert_allclose(p[:, 2:] @ lower.T, q[:, 2:] @ vectors.T, atol=1e-10)


def test_two_steps_follow_the_gradient_of_the_logistic_loss():
    stream = np.random.default_rng(1)
    noise, true, labels = stream.normal(size=(4, 4)), np.array([0, 1, 1, 0]), np.array([1.0, 1, -1, -1])
    signal = np.zeros((4, 6))
    signal[np.arange(4), true] = 1.5
    tokens = np.stack([signal, np.concatenate([np.zeros((4, 2)), noise], 1)], 1)

    def loss(w):
        logits = tokens @ w[6:]
        share = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
        return np.log1p(np.exp(-labels * (share * (tokens @ w[:6])).sum(1))).mean()

    (w,) = descended(loss, (np.zeros(12),), 0.3, steps=3)
    ((v, p),) = descend(noise, true, labels, np.array([[1.5]]), 0.3, [3])
    np.testing.assert_allclose(np.concatenate([v[0], p[0]]), w, atol=1e-8)


@pytest.mark.parametrize("sharp", [1.0, np.inf])
def test_the_error_is_that_of_many_new_inputs(sharp):
    stream = np.random.default_rng(2)
    v, p = stream.normal(size=(3, 1, 6)), stream.normal(size=(3, 1, 6))
    v[1, 0, :2], p[2] = 0.0, 0.0  # no signal in v; attention that is even
    lengths = np.full((3, 1), 1.2)
    noise, wrong = stream.normal(size=(200_000, 4)), []
    for one, other in zip(v[:, 0], p[:, 0], strict=True):
        for c, y in enumerate((1.0, -1.0)):
            lead = 1.2 * other[c] - noise @ other[2:]
            share = (lead > 0) * 1.0 if np.isinf(sharp) else 1 / (1 + np.exp(-lead))
            output = y * (share * 1.2 * one[c] + (1 - share) * (noise @ one[2:]))
            wrong.append(np.where(output == 0, (noise @ one[2:]) * y < 0, output < 0).mean())
    expected = np.array(wrong).reshape(3, 2).mean(1)
    kept = slice(None) if sharp == 1.0 else slice(0, 2)  # hard attention has a p
    np.testing.assert_allclose(error(v, p, lengths, sharp)[kept, 0], expected[kept], atol=4e-3)


def test_the_best_option_is_the_best_of_all_choices_of_tokens(solved):
    """2⁵ choices each, every one solved."""
    problems, answer = solved
    length = parts(problems.tokens, problems.labels)[3]
    seen = set()
    for i, k in product(range(len(problems)), range(len(MULTIPLES))):
        tokens = problems.tokens[i] * [[[MULTIPLES[k]], [1.0]]]
        choices = [np.where(np.array(c)[:, None], tokens[:, 0], tokens[:, 1]) for c in product((0, 1), repeat=5)]
        answers = solve_batch([at_least_one(problems.labels[i][:, None] * rows) for rows in choices])
        best = min(np.linalg.norm(a.W) for a in answers if a.solved)
        lengths = (length[:, None] * MULTIPLES)[i : i + 1]
        rows = {name: answer[name][i : i + 1] for name in ("place", "option")} | {"noise": answer["noise"]}
        found = value(rows, rows["option"], lengths)[0, k]
        np.testing.assert_allclose(np.linalg.norm(found), best, rtol=1e-9)
        seen.add(OPTIONS[answer["option"][i, k]])
    assert len(seen) > 1


def test_v_and_p_fit_every_label_with_hard_attention(solved):
    problems, answer = solved
    true, flipped, noise, length = parts(problems.tokens, problems.labels)
    lengths = length[:, None] * MULTIPLES
    for j, option in enumerate((answer["option"], np.full_like(answer["option"], SIGNAL))):
        p = answer["attention"]["W"][answer["at"][:, j], :, 0]
        said = outputs(value(answer, option, lengths), 1e6 * p, noise, true, lengths)
        np.testing.assert_array_less(1.0 - 1e-9, said * problems.labels[:, None])
        for i, k in np.ndindex(option.shape):
            signal = served(option[i, k], true[i], flipped[i])
            margins = selecting(problems.tokens[i], MULTIPLES[k], signal).apply(p[i, k][:, None])
            np.testing.assert_allclose(margins.min(), 1.0)


def test_the_threshold_of_orthogonal_noise_is_its_law_and_it_is_where_the_choice_changes(solved):
    d, true, flipped = 50.0, np.array([0, 0, 0, 0, 1, 1, 1]), np.array([1, 0, 0, 0, 0, 0, 0], dtype=bool)
    left = np.array([(~served(o, true, flipped)).sum() for o in range(len(OPTIONS))])
    np.testing.assert_allclose(threshold(left[None] / d), np.sqrt(d / 3))
    problems, answer = solved
    both = np.array(["none" not in option for option in OPTIONS])[answer["option"]]
    lengths = parts(problems.tokens, problems.labels)[3][:, None] * MULTIPLES
    np.testing.assert_array_equal(both, lengths > threshold(sizes(answer))[:, None])
