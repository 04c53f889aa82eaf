"""The engine for large instances against torch: heads, parametrisations, rules, attentions, and its switch."""

from functools import partial

import numpy as np
import pytest
from pairwise import pairwise

from attnsvm import threads
from attnsvm.data.draws import draw, gaussian
from attnsvm.data.inputs import ATTENTIONS
from attnsvm.experiments.multi_token.problems import relu
from attnsvm.training import LinearHead, PenalisedHead, ReluHead, compiled, dense, exact, plain, published, train

HEADS = {
    "linear": (gaussian, LinearHead),
    "relu": (relu, ReluHead),
    "penalised": (gaussian, partial(PenalisedHead, penalty=0.3)),
}
RULES = {"published": published(0.1), "exact": exact(0.1), "plain": plain(0.5)}
LOGGED = ("weights", "largest", "loss", "gradient_norm", "probabilities")


@pytest.fixture
def always(monkeypatch):
    monkeypatch.setattr(dense, "LARGE", 0)
    monkeypatch.setattr(compiled, "run", None)


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize(("head", "kind", "rule", "attention"), pairwise(HEADS, ("W", "KQ"), RULES, ATTENTIONS))
def test_it_follows_torch(head, kind, rule, attention):
    arguments = draw(HEADS[head][0], range(5), 2, 3, 4), HEADS[head][1], kind, RULES[rule], 40, 10
    ours = train(*arguments, attention=attention)
    theirs = train(*arguments, attention=attention, device="cpu:0")
    for name in LOGGED:
        one, other = getattr(ours, name), getattr(theirs, name)
        assert one.shape == other.shape
        # 40 steps before saturation amplify a rounding error of 1e-16 to about 1e-13.
        assert np.allclose(one, other, rtol=1e-10, atol=1e-12), name


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("kind", ["W", "KQ"])
@pytest.mark.parametrize("size", [1.0, 3000.0])
def test_the_exact_step_has_length_one_at_any_norm_of_the_weights(kind, size):
    p = draw(gaussian, range(4), 3, 4, 4)
    W = size * np.random.default_rng(0).normal(size=(4, 4, 4))
    start = W if kind == "W" else "uniform"
    log = train(p, LinearHead, kind, exact(1.0), 1, 1, start=start)
    if kind == "W":
        assert np.linalg.norm(log.weights[:, 1] - log.weights[:, 0], axis=(1, 2)) == pytest.approx(1, rel=1e-9)
    theirs = train(p, LinearHead, kind, exact(1.0), 1, 1, start=start, device="cpu:0")
    assert np.abs(log.weights - theirs.weights).max() <= 1e-11 * size


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("kind", ["W", "KQ"])
def test_the_same_bits_in_every_batch_and_on_any_number_of_threads(kind, monkeypatch):
    p = draw(gaussian, range(9), 4, 6, 8)
    run = partial(train, head=LinearHead, parametrisation=kind, rule=published(0.1), steps=20, every=10)
    whole, part = run(p), run(p[3:5])
    monkeypatch.setattr(threads, "_allowed", 3)
    threaded = run(p)
    for name in LOGGED:
        assert np.array_equal(getattr(part, name), getattr(whole, name)[3:5])
        assert np.array_equal(getattr(threaded, name), getattr(whole, name))


@pytest.mark.parametrize(
    ("shape", "attention", "large"),
    [((8, 64, 63), "cross", False), ((8, 64, 64), "cross", True), ((2, 32, 16), "sequence", True)],
)
def test_the_size_chooses(shape, attention, large, monkeypatch):
    chosen = []
    for engine in (compiled, dense):
        own = engine.run
        monkeypatch.setattr(engine, "run", lambda *args, own=own, engine=engine: (chosen.append(engine), own(*args))[1])
    p = draw(gaussian, range(2), *shape)
    log = train(p, LinearHead, "W", published(0.1), 2, 1, attention=attention)
    assert chosen == [dense if large else compiled]
    theirs = train(p, LinearHead, "W", published(0.1), 2, 1, attention=attention, start=log.weights[:, 0])
    assert np.allclose(log.weights, theirs.weights, rtol=0, atol=1e-13)


@pytest.mark.usefixtures("always")
def test_the_weights_given_are_not_changed():
    W = np.ones((2, 4, 4))
    train(draw(gaussian, range(2), 2, 3, 4), LinearHead, "W", plain(1.0), 5, 5, start=W)
    assert (W == 1).all()
