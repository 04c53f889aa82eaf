"""The ladder: its layer against the engine and exact numbers, its nulls, its changes."""

import numpy as np
import pandas as pd
import pytest
import torch
from by_hand import cosine_on, rows_of, winners
from running import one_cell, smoke_settings

from attnsvm.data.digits import images
from attnsvm.experiments.real.ladder import descent, layer, measures
from attnsvm.experiments.real.ladder.rungs import DECAYING, HELD_OUT, RUNGS, Rung
from attnsvm.training import LinearHead, exact, train
from attnsvm.training.tape.gradient import gradient
from attnsvm.training.tape.node import Node

SMALL = smoke_settings("ladder", problems={"n": 3, "instances": 3}, descent={"steps": 25, "adamw_steps": 10})


@pytest.fixture(scope="module")
def made():
    return one_cell("ladder", SMALL)[:4]


def test_an_instance_is_images_without_repetition_and_their_parity(made):
    _, drawn, _, _ = made
    pixels, digits = images()
    for tokens, labels in zip(drawn.tokens, drawn.labels, strict=True):
        assert (tokens[:, :, 4:] == np.eye(16)).all()
        whole = tokens[:, :, :4].reshape(-1, 4, 4, 2, 2).swapaxes(2, 3).reshape(-1, 8, 8)
        found = [int(np.flatnonzero((pixels == one).all((1, 2)))[0]) for one in whole]
        assert len(set(found)) == len(tokens) == 3 * (1 + HELD_OUT)
        np.testing.assert_array_equal(labels, np.where(digits[found] % 2, 1.0, -1.0))


def slopes(weights, inputs):
    """∂L/∂weight of every weight by name: mantissas and powers of two."""
    nodes = {name: Node(value, weight=True) for name, value in weights.items()}
    found = gradient(layer.layer(nodes, {name: Node(value) for name, value in inputs.items()})[0], nodes)
    return {name: terms.summed() for name, terms in found.items()}


def test_the_first_rung_is_what_the_compiled_engine_does(made):
    """Another program: gradients by hand, compiled, the same start."""
    _, drawn, trained, _ = made
    own = trained["rungs"]["W"]
    few = type(drawn)(drawn.tokens[:, :3], drawn.queries[:, :3], drawn.labels[:, :3], drawn.head, drawn.seeds)
    log = train(few, LinearHead, "W", exact(SMALL["descent"]["learning_rate"]), 25, 25, start=own["start"]["W"])
    np.testing.assert_allclose(own["end"]["W"], log.weights[:, -1], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("rung", [*RUNGS.values(), *DECAYING.values()], ids=[*RUNGS, *DECAYING])
def test_every_gradient_is_the_slope_of_the_loss(made, rung):
    """Differences of the plainly written loss, along a random direction of each parameter."""
    _, drawn, _, _ = made
    weights, inputs = layer.start(rung, drawn.seeds, drawn.head, 20), descent.inputs_of(drawn, 3)
    found = slopes(weights, inputs)
    weights = {name: torch.from_numpy(value) for name, value in weights.items()}
    v, tokens, queries, labels = (torch.tensor(inputs[name]) for name in ("v", "tokens", "queries", "labels"))
    generator = torch.Generator().manual_seed(1)

    def loss(weights):
        x, z = (tokens @ weights["E"][:, None], queries @ weights["F"]) if "E" in weights else (tokens, queries)
        W = weights["W"] if "W" in weights else torch.einsum("rdm,rem->rde", weights["K"], weights["Q"])
        mixed = torch.einsum("rnt,rntd->rnd", torch.softmax(torch.einsum("rntd,rde,rne->rnt", x, W, z), -1), x)
        if "hidden" in weights:
            inner = torch.einsum("rnd,rhd->rnh", mixed, weights["hidden"]) + weights["hidden_bias"][:, None]
            output = torch.einsum("rnh,rh->rn", inner.clamp(min=0), weights["out"]) + weights["out_bias"]
        else:
            output = torch.einsum("rnd,rd->rn", mixed, weights.get("v", v))
        return torch.log(1 + torch.exp(-labels * output)).mean(1)

    for name, value in weights.items():
        along = torch.randn(value.shape, generator=generator, dtype=torch.float64)
        ends = [loss(weights | {name: value + sign * 1e-6 * along}) for sign in (1, -1)]
        slope = (torch.from_numpy(found[name].value().reshape(value.shape)) * along).flatten(1).sum(1)
        torch.testing.assert_close(slope, (ends[0] - ends[1]) / 2e-6, rtol=1e-5, atol=1e-8)


def test_decay_acts_on_the_attention_weights_alone(made):
    """Ten steps on, the weights under decay are shorter; the first gradient is the same, and so is the first output."""
    _, _, trained, _ = made
    for name in DECAYING:
        lengths = np.linalg.norm(trained["decays"][name]["end"]["W"], axis=(1, 2)).reshape(2, 3)
        assert trained["each"]["decay"].tolist() == [0, 1]
        assert (lengths[1] < 0.99 * lengths[0]).all()


def test_the_alignment_is_the_cosine_with_the_certified_solution(made):
    """Without the projection: the solution lies in the span, so W need only lose what lies outside of it."""
    _, drawn, trained, solved = made
    runs, answers = trained["rungs"]["+ embeddings"]["end"], solved["rungs"]["+ embeddings"]["end"]["fro"]
    for s in range(3):
        tokens, queries = drawn.tokens[s, :3] @ runs["E"][s], drawn.queries[s, :3] @ runs["F"][s]
        np.testing.assert_array_equal(winners(tokens, runs["W"][s], queries), runs["selected"][s])
        cosine = cosine_on(rows_of(tokens, queries, runs["selected"][s]), runs["W"][s], answers["own"]["W"][s])
        assert answers["alignment"][s] == pytest.approx(cosine, abs=1e-6)


def test_ranks_by_hand():
    W = np.array([np.diag([2.0, 2.0, 0.0]), np.diag([3.0, 0.0, 0.0]), np.diag([2.0, 1.0, 1.0])])
    found = measures.ranks(W)
    np.testing.assert_allclose(found["stable_rank"], [2, 1, 1.5])
    np.testing.assert_allclose(found["effective_rank"], [2, 1, np.exp(np.log(2) / 2 + np.log(4) / 2)])


def test_a_change_is_taken_per_instance():
    """Medians of differences: here not the differences of medians."""
    first, second = [0.1, 0.5, 0.9], [0.6, 0.7, 0.2]
    rows = []
    for name, values in (("W", first), ("+ v", second)):
        rows += [("rungs", name, np.nan, "end", "alignment_fro", s, v) for s, v in enumerate(values)]
    for name, rung in list(RUNGS.items())[2:]:
        rows += [("rungs", name, np.nan, "end", f"alignment_{rung.norm}", s, 0.0) for s in range(3)]
    for name, rung in DECAYING.items():
        for decay in (0.0, 2.0):
            rows += [("decays", name, decay, "end", f"alignment_{rung.norm}", s, 0.1 * s * decay) for s in range(3)]
            rows += [("decays", name, decay, "end", "effective_rank", s, 4 / (1 + decay * s)) for s in range(3)]
    frame = pd.DataFrame(rows, columns=[*measures.KEYS, "seed", "value"])
    found = {(row["name"], row["quantity"]): row for row in measures.changes(frame)}
    assert found["+ v", "change_alignment"]["value"] == pytest.approx(0.2)
    assert found["KQ", "change_alignment"]["value"] == pytest.approx(0.2)
    assert found["KQ", "rank_ratio"]["value"] == pytest.approx(1 / 3)
    assert found["W", "rank_ratio"]["low"] == pytest.approx(1 / 5)


def test_rungs_differ_by_one_thing_each():
    fields = Rung.__dataclass_fields__
    for before, after in zip(list(RUNGS.values()), list(RUNGS.values())[1:], strict=False):
        assert sum(getattr(before, name) != getattr(after, name) for name in fields) == 1
