"""The small transformer: its heads as W, its gradient, its nulls, what is measured of it."""

import numpy as np
import pytest
import torch
from running import one_cell, smoke_settings

from attnsvm.data.digits import images, patches
from attnsvm.experiments.real.trained import descent, measures, network, problems, svm
from attnsvm.inspect.layers import Layer
from attnsvm.inspect.measures import Bench, Plan, measure

SMALL = smoke_settings("trained", problems={"instances": 2})
IMAGES = SMALL["problems"]["images"]


@pytest.fixture(scope="module")
def made():
    return one_cell("trained", SMALL)[:4]


def test_an_instance_is_images_without_repetition_and_a_patch_that_asks(made):
    _, drawn, _, _ = made
    tokens, digits = patches(images()[0]), images()[1]
    for s, seed in enumerate(drawn.seeds.tolist()):
        numbers, places = problems.order(seed, IMAGES)
        assert len(set(numbers)) == IMAGES
        np.testing.assert_array_equal(drawn.tokens[s], tokens[numbers])
        np.testing.assert_array_equal(drawn.labels[s] > 0, digits[numbers] % 2 == 1)
        np.testing.assert_array_equal(drawn.queries[s], tokens[numbers, places])
        assert len(set(places)) == 16


def test_the_network_is_the_formula_it_says():
    """Token by token and head by head, in numpy."""
    rng = np.random.default_rng(0)
    weights = network.start(np.array([3]), 16, 4)
    X = rng.normal(size=(1, 2, 16, 4))
    found, seen = network.forward(weights, torch.from_numpy(X))
    own = {name: value[0].numpy() for name, value in weights.items()}
    Ws = network.bilinear(weights)[0].numpy()

    def unit(x):
        x = x - x.mean(-1, keepdims=True)
        return x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-5)

    for i in range(2):
        x = X[0, i] @ own["embed"] + own["place"]
        for layer in range(network.LAYERS):
            a = unit(x)
            np.testing.assert_allclose(seen[layer][0, i].numpy(), a, rtol=1e-9, atol=1e-12)
            moved = x.copy()
            for place in range(16):
                for head in range(network.HEADS):
                    logits = a @ Ws[layer, head] @ a[place]
                    shares = np.exp(logits) / np.exp(logits).sum()
                    columns = slice(head * network.PER_HEAD, (head + 1) * network.PER_HEAD)
                    moved[place] += shares @ a @ own[f"V{layer}"][:, columns] @ own[f"O{layer}"][columns]
            x = moved + np.maximum(unit(moved) @ own[f"up{layer}"], 0) @ own[f"down{layer}"]
        np.testing.assert_allclose(found[0, i].numpy(), unit(x).mean(0) @ own["classes"], rtol=1e-9, atol=1e-12)


def test_every_gradient_is_the_slope_of_the_cross_entropy(made):
    _, drawn, _, _ = made
    weights = network.start(drawn.seeds, 16, 4)
    X = torch.from_numpy(drawn.tokens[:, :4])
    digits = torch.tensor([[0, 3, 9, 1], [2, 2, 7, 5]])
    found = descent.gradients(weights, X, digits)
    generator = torch.Generator().manual_seed(4)

    def loss(weights):
        logits = network.forward(weights, X)[0]
        return (torch.logsumexp(logits, -1) - logits.gather(-1, digits.unsqueeze(-1)).squeeze(-1)).mean(1)

    for name, value in weights.items():
        along = torch.randn(value.shape, generator=generator, dtype=torch.float64)
        ends = [loss(weights | {name: value + sign * 1e-6 * along}) for sign in (1, -1)]
        slope = (found[name] * along).flatten(1).sum(1)
        torch.testing.assert_close(slope, (ends[0] - ends[1]) / 2e-6, rtol=1e-5, atol=1e-8)


def test_the_inputs_of_a_head_are_held_out_and_its_query_is_the_token_at_its_position(made):
    _, drawn, trained, _ = made
    inspected, count = SMALL["descent"]["inspected"], problems.trained_on(IMAGES)
    assert trained["tokens"].shape == (2, 2, network.LAYERS, inspected, 16, network.WIDTH)
    for s, seed in enumerate(drawn.seeds.tolist()):
        places = problems.order(seed, IMAGES)[1][count : count + inspected]
        for k in range(2):
            own = trained["tokens"][s, k, :, np.arange(inspected), places]
            np.testing.assert_array_equal(own.swapaxes(0, 1), trained["queries"][s, k])
    weights = network.start(drawn.seeds, 16, 4)
    shown = torch.from_numpy(drawn.tokens[:, count : count + inspected])
    np.testing.assert_allclose(trained["tokens"][:, 0, 0], network.forward(weights, shown)[1][0].numpy(), rtol=1e-12)


def test_a_head_has_the_numbers_that_inspect_gives(made):
    """`attnsvm inspect`, told to fit the same inputs: alignment, margin ratio and prediction of the head itself."""
    _, _, trained, solved = made
    fitted = SMALL["svm"]["fitted"]
    place = (1, 1, 1)
    inputs = svm.as_inputs(trained["tokens"][place], trained["queries"][place])
    heads = dict(enumerate(trained["W"][place]))
    bench = Bench(Layer(1, inputs, heads), Plan(norms=("fro",), inputs=len(inputs), draws=1))
    bench.fit_rows, bench.held_rows = np.arange(fitted), np.arange(fitted, len(inputs))
    bench.fit, bench.held = inputs.take(bench.fit_rows), inputs.take(bench.held_rows)
    for head in heads:
        row, _ = measure(bench, head)
        for theirs, ours in (("alignment", "alignment"), ("predicted", "predicted"), ("margin_ratio", "margin")):
            assert solved["fro"][f"{ours}_own"][*place, head] == pytest.approx(row[f"{theirs}_fro"], abs=1e-6)


def test_a_difference_is_taken_per_head_and_the_mean_per_network(made):
    cell, drawn, trained, solved = made
    found = measures.measures(cell, drawn, trained, solved, {}).instances
    for name, one, other in measures.COMPARED:
        wanted = (solved["fro"][one] - solved["fro"][other]).mean(-1)
        for layer in (1, 2):
            rows = found[(found["quantity"] == f"{name}_fro") & (found["layer"] == layer)]
            for row in rows.itertuples():
                s, k = drawn.seeds.tolist().index(row.seed), trained["steps"].tolist().index(row.step)
                assert row.value == pytest.approx(wanted[s, k, layer - 1])
            assert len(rows) == np.isfinite(wanted[:, :, layer - 1]).sum() > 0


def test_a_head_without_a_proof_leaves_its_network_out_by_name(made):
    cell, drawn, trained, solved = made
    fro = dict(solved["fro"])
    fro["own"] = {**fro["own"], "status": fro["own"]["status"].copy()}
    fro["own"]["status"][-1] = "uncertified"
    fro["alignment_own"] = fro["alignment_own"].copy()
    fro["alignment_own"][-1, -1, -1, -1] = np.nan
    found = measures.measures(cell, drawn, trained, {"fro": fro}, {})
    assert found.outcomes["outcome"].tolist() == ["measured", "a head without certified solution"]
    rows = measures.table(found, {}).query("quantity == 'alignment_own_fro'").set_index(["layer", "step"])["instances"]
    assert rows.to_dict() == {(1, 0): 2, (1, 20): 2, (2, 0): 2, (2, 20): 1}
