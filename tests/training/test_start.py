"""Where descent starts: drawn weights, zero, and weights that are given."""

import numpy as np
import pytest
import torch
from training_references import use_only

from attnsvm.data.draws import draw, gaussian
from attnsvm.training import LinearHead, exact, plain, train
from attnsvm.training.descent import PIECE
from attnsvm.training.start import draw_initial, normal, uniform


def first_weights(name, start, seeds, k=40):
    p = draw(gaussian, seeds, 2, 2, k)
    return train(p, LinearHead, name, plain(0.0), steps=1, every=1, start=start)


def test_uniform_start_is_uniform():
    W = first_weights("W", "uniform", range(30)).weights[:, 0]
    bound = 40**-0.5
    assert np.abs(W).max() <= bound
    # 48000 entries: the largest lies within 1e-3 of the bound, mean and variance within five standard errors
    assert np.abs(W).max() > 0.999 * bound
    assert abs(W.mean()) < 5 * bound / np.sqrt(3 * W.size)
    assert W.var() == pytest.approx(bound**2 / 3, rel=5 * np.sqrt(0.8 / W.size))
    K, Q = np.moveaxis(draw_initial("KQ", np.arange(30), uniform((2, 40, 40), 40)), 1, 0)
    assert not (K == Q).any()
    np.testing.assert_allclose(first_weights("KQ", "uniform", range(30)).weights[:, 0], K @ Q.mT, atol=1e-14)


def test_zero_start():
    assert not first_weights("W", "zero", [4]).weights.any()
    assert not first_weights("KQ", "zero", [4]).weights.any()  # Q = 0
    K = 0.1 * draw_initial("KQ", np.arange(30), normal((40, 40)))
    assert float(K.std()) == pytest.approx(0.1, rel=5 / np.sqrt(2 * K.size))
    # that this K is the one used shows in test_a_run_follows_the_official_loop


def test_streams_of_seeds_parametrisations_and_data_differ():
    W = first_weights("W", "uniform", [3, 4]).weights[:, 0]
    assert not (W[0] == W[1]).any()
    K = draw_initial("KQ", np.array([3]), uniform((40, 40), 40))[0]
    assert not (W[0] == K).any()
    data = (torch.rand((40, 40), generator=torch.Generator().manual_seed(3)).double() * 2 - 1) * 40**-0.5
    assert not (data.numpy() == W[0]).all()
    assert draw_initial("W", np.array([]), uniform((3, 4), 3)).shape == (0, 3, 4)


def test_descent_starts_at_the_weights_given_in_the_order_of_the_batch():
    S = PIECE + 7
    p = draw(gaussian, range(S), 2, 2, 3)
    W = np.random.default_rng(0).normal(size=(S, 3, 3))
    log = train(p, LinearHead, "W", plain(1.0), 3, 1, start=W)
    assert log.steps.tolist() == [0, 1, 2, 3]
    assert np.array_equal(log.weights[:, 0], W)
    assert (log.weights[:, 1] != W).any((1, 2)).all()
    for s in (0, PIECE - 1, PIECE, S - 1):
        alone = train(p[s : s + 1], LinearHead, "W", plain(1.0), 3, 1, start=W[s : s + 1])
        assert np.array_equal(alone.weights[0], log.weights[s])
    by_torch = train(p, LinearHead, "W", plain(1.0), 3, 1, start=W, device="cpu:0")
    np.testing.assert_allclose(by_torch.weights, log.weights, rtol=0, atol=1e-14)  # three steps of order one


def test_descent_can_go_on_from_where_it_stopped():
    p = draw(gaussian, range(9), 3, 4, 6)
    whole = train(p, LinearHead, "W", exact(0.1), 40, 20)
    rest = train(p, LinearHead, "W", exact(0.1), 20, 20, start=whole.weights[:, 1])
    # Weights of order one, 20 steps that amplify their rounding a little.
    np.testing.assert_allclose(rest.weights[:, 1], whole.weights[:, 2], rtol=0, atol=1e-12)
    np.testing.assert_allclose(rest.loss[:, 0], whole.loss[:, 1], rtol=1e-13)


@pytest.mark.parametrize(("engine", "device"), [("compiled", "cpu"), ("dense", "cpu"), ("compiled", "cpu:0")])
def test_the_weights_given_are_not_changed(engine, device, monkeypatch):
    use_only(engine, monkeypatch)
    p = draw(gaussian, range(4), 2, 3, 4)
    W = np.random.default_rng(1).normal(size=(4, 4, 4))
    kept = W.copy()
    train(p, LinearHead, "W", plain(1.0), 5, 5, start=W, device=device)
    assert np.array_equal(W, kept)


def test_factors_do_not_start_at_given_weights():
    p = draw(gaussian, range(2), 2, 3, 4)
    with pytest.raises(ValueError, match="start: expected 'uniform', 'zero' or a pair"):
        train(p, LinearHead, "KQ", plain(1.0), 1, 1, start=np.zeros((2, 4, 4)))


@pytest.mark.parametrize("kind", ["W", "KQ"])
def test_a_start_of_another_name_is_refused(kind):
    with pytest.raises(ValueError, match="start: expected 'uniform' or 'zero', got 'Zero'"):
        train(draw(gaussian, range(2), 2, 3, 4), LinearHead, kind, plain(1.0), 1, 1, start="Zero")


@pytest.mark.parametrize("shape", [(2, 2), (3, 5), (4, 4), (2, 10, 10), (40, 40)])
def test_the_numbers_are_those_of_torch(shape):
    """One stream per name and seed; float32 arithmetic, then float64."""
    seeds = np.array([0, 3, 2**40])
    drawn = draw_initial("KQ", seeds, uniform(shape, shape[-1])), draw_initial("KQ", seeds, normal(shape))
    for s, seed in enumerate(seeds.tolist()):
        word = np.random.SeedSequence([20308, *b"KQ", seed]).generate_state(1, np.uint64)[0]
        generators = [torch.Generator().manual_seed(int(word >> 1)) for _ in range(2)]
        theirs = (torch.rand(shape, generator=generators[0]) * 2 - 1) * shape[-1] ** -0.5
        assert np.array_equal(drawn[0][s], theirs.double())
        assert np.array_equal(drawn[1][s], torch.randn(shape, generator=generators[1]).double())
