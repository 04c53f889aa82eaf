"""Several heads: what is trained, the block's answer, and the numbers drawn, recomputed."""

import numpy as np
import pytest
import torch
from running import one_cell, smoke_settings

SETTINGS = smoke_settings("heads", descent={"steps": 3000, "heads": [1, 3], "control": 3})


@pytest.fixture(scope="module")
def run():
    return one_cell("heads", SETTINGS)


def test_the_first_steps_are_those_of_automatic_differentiation(run):
    """The model written out with torch, W_h from the logged step 1 on to the next logged step."""
    _, drawn, trained, _, _ = run
    one = trained["joint_3"]
    assert one["steps"][:2].tolist() == [1, 3]
    for s in range(2):
        X, Z, Y = (torch.tensor(x[s]) for x in (drawn.tokens, drawn.queries, drawn.labels))
        v = torch.tensor(one["vectors"][s])
        W = torch.tensor(one["weights"][s, 0], requires_grad=True)
        for _ in range(2):
            logits = torch.einsum("ntd,hde,ne->hnt", X, W, Z)
            f = torch.einsum("hnt,ntd,hd->n", torch.softmax(logits, 2), X, v)
            (G,) = torch.autograd.grad(torch.nn.functional.softplus(-Y * f).mean(), W)
            W = (W - 0.1 * G / G.norm()).detach().requires_grad_()
        np.testing.assert_allclose(one["weights"][s, 1], W.detach().numpy(), atol=1e-12)


def test_the_block_is_its_heads_and_every_answer_is_certified(run):
    _, drawn, trained, solved, _ = run
    for name, answers in solved.items():
        H, d = trained[name]["weights"].shape[2], drawn.tokens.shape[-1]
        assert (answers["block"]["status"] == "solved").all()
        for h in range(H):
            assert (answers["heads"][str(h)]["status"] == "solved").all()
            block = answers["block"]["W"][:, h * d : (h + 1) * d, h * d : (h + 1) * d]
            np.testing.assert_allclose(block, answers["heads"][str(h)]["W"], rtol=0, atol=1e-12)


def test_the_numbers_are_their_definitions(run):
    _, drawn, trained, solved, found = run
    rows = found.instances.query("normalisation == 'joint' and heads == 3 and step == 3000")
    for s, seed in enumerate(drawn.seeds):
        own = rows[rows["seed"] == seed].set_index("quantity")["value"]
        if own.empty:
            continue
        W = trained["joint_3"]["weights"][s, -1]
        mm = [solved["joint_3"]["heads"][str(h)]["W"][s] for h in range(3)]
        logits = np.einsum("ntd,hde,ne->hnt", drawn.tokens[s], W, drawn.queries[s])
        gaps = np.sort(logits, axis=2)
        total = np.linalg.norm(W)
        assert own["margin"] == pytest.approx((gaps[..., -1] - gaps[..., -2]).min() / total, rel=1e-9)
        assert own["best_margin"] == pytest.approx(1 / np.sqrt(sum((m**2).sum() for m in mm)), rel=1e-9)
        logs = [np.log(np.linalg.norm(W[h]) / np.linalg.norm(mm[h])) for h in range(3)]
        assert own["ratios"] == pytest.approx(max(logs) - min(logs), rel=1e-9)
        scores = drawn.labels[s][:, None] * np.einsum("ntd,hd->hnt", drawn.tokens[s], trained["joint_3"]["vectors"][s])
        hits = scores.argmax(2) == logits.argmax(2)
        assert own["global_heads"] == hits.all(1).mean()
        assert own["optimal_inputs"] == pytest.approx(hits.mean())
