"""The engine for large instances: any norm of the weights, any batch and any threads, and its switch."""

from functools import partial

import numpy as np
import pytest
from training_references import assert_cut_anywhere, assert_same, use_only

from attnsvm.data.draws import draw, gaussian
from attnsvm.training import LinearHead, compiled, dense, exact, published, threads, train


@pytest.mark.parametrize("kind", ["W", "KQ"])
@pytest.mark.parametrize("size", [1.0, 3000.0])
def test_the_exact_step_has_length_one_at_any_norm_of_the_weights(kind, size, monkeypatch):
    use_only("dense", monkeypatch)
    p = draw(gaussian, range(4), 3, 4, 4)
    W = size * np.random.default_rng(0).normal(size=(4, 4, 4))
    start = W if kind == "W" else "uniform"
    log = train(p, LinearHead, kind, exact(1.0), 1, 1, start=start)
    if kind == "W":
        assert np.linalg.norm(log.weights[:, 1] - log.weights[:, 0], axis=(1, 2)) == pytest.approx(1, rel=1e-9)
    theirs = train(p, LinearHead, kind, exact(1.0), 1, 1, start=start, device="cpu:0")
    assert np.abs(log.weights - theirs.weights).max() <= 1e-11 * size


@pytest.mark.parametrize("kind", ["W", "KQ"])
def test_the_same_bits_in_every_batch_and_on_any_number_of_threads(kind, monkeypatch):
    use_only("dense", monkeypatch)
    p = draw(gaussian, range(9), 4, 6, 8)
    run = partial(train, head=LinearHead, parametrisation=kind, rule=published(0.1), steps=20, every=10)
    assert_cut_anywhere(run, p, [slice(3, 5)])
    whole = run(p)
    monkeypatch.setattr(threads, "_allowed", 3)
    assert_same(run(p), whole)


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
