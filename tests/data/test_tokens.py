"""Other distributions of tokens: of every problem, whatever block it is drawn in."""

from importlib import import_module

import numpy as np
import pytest

from attnsvm.data.draws import draw, gaussian
from attnsvm.data.grids.one_shape import cells, problems
from attnsvm.pipeline import elsewhere

DRAWN = draw(gaussian, range(5, 11), 4, 5, 7)
NAMES = elsewhere.distributions()


def redrawn(name, batch=DRAWN):
    return import_module(f"{elsewhere.TOKENS}.{name}").redrawn(batch)


@pytest.mark.parametrize("name", NAMES)
def test_the_draw_of_an_instance_follows_from_its_seed(name):
    whole, part = redrawn(name), redrawn(name, DRAWN[2:4])
    for key, array in whole.arrays().items():
        assert array.dtype == DRAWN.arrays()[key].dtype
        assert array.shape == DRAWN.arrays()[key].shape
        assert np.isfinite(array).all()
        np.testing.assert_array_equal(array[2:4], part.arrays()[key])
    same = {key for key, array in whole.arrays().items() if np.array_equal(array, DRAWN.arrays()[key])}
    assert same == {"tokens", "queries", "labels", "head", "seeds"} - {"queries" if name == "one_query" else "tokens"}


@pytest.mark.parametrize("name", NAMES)
def test_no_distribution_needs_two_dimensions(name):
    assert np.isfinite(redrawn(name, draw(gaussian, range(20), 2, 3, 1)).tokens).all()


def test_what_the_distributions_are():
    tokens = {name: redrawn(name).tokens for name in NAMES}
    lengths = {name: np.linalg.norm(x, axis=-1) for name, x in tokens.items()}
    for name in set(NAMES) - {"lengths"}:
        np.testing.assert_allclose(lengths[name], 1.0, atol=1e-6)
    assert lengths["lengths"].max() > 2 * lengths["lengths"].min()
    assert (tokens["one_hot"].max(-1) == 1).all()
    assert (tokens["one_hot"].sum(-1) == 1).all()
    assert (np.unique(tokens["one_hot"][0, 0], axis=0).shape[0]) == 5
    np.testing.assert_allclose(np.abs(tokens["signs"]), 7**-0.5)
    assert len(np.unique(tokens["repeated"][0].reshape(-1, 7), axis=0)) <= 10
    cosines = np.einsum("sntd,snud->sntu", tokens["correlated"], tokens["correlated"])[..., 0, 1]
    assert 0.4 < cosines.mean() < 0.8
    largest = {name: np.abs(x).max(-1).mean() for name, x in tokens.items()}
    assert largest["heavy"] > 1.2 * largest["repeated"]
    queries = redrawn("one_query").queries
    assert (queries == queries[:, :1]).all()


def test_more_tokens_than_dimensions_are_all_there_are():
    drawn = redrawn("one_hot", problems(cells({"n": 2, "T": 5, "d": 3, "first_seed": 0, "instances": 3})[0], {}))
    assert len(np.unique(drawn.tokens[0, 0], axis=0)) == 3
