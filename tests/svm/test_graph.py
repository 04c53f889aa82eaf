"""The graphs of next-token data sets against paths found by hand and by brute force, and what their SVM orders."""

import numpy as np
import pytest

from attnsvm.data.graphs import token_graphs
from attnsvm.svm import graph_constraints, solve


@pytest.mark.parametrize("seed", range(20))
def test_components_and_order_are_those_of_all_paths(seed):
    rng = np.random.default_rng(seed)
    K, inputs = 5, rng.integers(5, size=(8, 4))
    inputs[:, -1] %= 2
    labels = inputs[np.arange(8), rng.integers(4, size=8)]
    graphs = token_graphs(inputs, labels, K)
    embeddings = rng.normal(size=(K, K + 2))
    constraints = graph_constraints(embeddings, graphs)
    solution = solve(constraints)
    assert solution.solved  # d ≥ K: independent embeddings, so every order and every equality can be met
    for place, last in enumerate(graphs.last):
        reach = np.zeros((K, K), dtype=bool)
        for sequence, label in zip(inputs, labels, strict=True):
            if sequence[-1] == last:
                for token in sequence:
                    reach[label, token] |= token != label
        assert (reach == graphs.edge[place]).all()
        for middle in range(K):  # Warshall
            reach |= reach[:, [middle]] & reach[[middle]]
        both = reach & reach.T & ~np.eye(K, dtype=bool)
        assert (graphs.together[place] == both).all()
        logits = embeddings @ solution.W @ embeddings[last]
        above = logits[:, None] - logits
        assert (above >= 1 - 1e-9)[reach & ~reach.T].all()  # over paths, not edges alone
        np.testing.assert_allclose(above[both], 0.0, atol=1e-9)


def test_a_label_that_its_input_does_not_hold_is_refused():
    with pytest.raises(ValueError, match="labels: expected a token of its input, got 3 for input 1"):
        token_graphs(np.array([[0, 1], [1, 2]]), np.array([0, 3]), 4)
    with pytest.raises(ValueError, match=r"inputs: expected an array of shape \(n, T\)"):
        token_graphs(np.array([0, 1]), np.array([0, 1]), 4)
