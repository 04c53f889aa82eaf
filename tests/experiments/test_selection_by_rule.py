"""Which tokens win, against a reading of the stored arrays; inputs held out; the length of steps."""

import numpy as np
import pytest
from by_hand import best_tokens, winners

from attnsvm.data.cells import Cell
from attnsvm.data.draws import draw, gaussian
from attnsvm.experiments.beyond.selection_by_rule import descent, measures, problems
from attnsvm.svm import separation, solve
from attnsvm.training import LinearHead, train

SMALL = {
    "problems": {"n": 3, "T": 4, "d": [4, 6], "first_seed": 2, "instances": 6},
    "descent": {"steps": 300, "adam_steps": 900, "length": 0.2, "longer": 3},
    "measures": {"saturated": 0.9},
}
KEYS = ["labels", "d", "steps", "rule"]


def end_of(p, s, probabilities, rule):
    """How a run ended, from its solution solved alone and its margins one by one."""
    X, Z, Y, v = (p[name][s] for name in ("tokens", "queries", "labels", "head"))
    chosen, best = probabilities.argmax(1), best_tokens(X, Y, v)
    if probabilities.max(1).min() < 0.9:
        return "not_saturated"
    if (chosen == best).all():
        return "global"
    answer = solve(separation(X, Z, chosen), {"adam": "linf"}.get(rule, rule))
    if not answer.solved:
        return "neither"
    dual = iter(answer.dual)
    for tokens, z, y, a in zip(X, Z, Y, chosen, strict=True):
        for t in range(len(tokens)):
            if t == a:
                continue
            tight = (tokens[a] - tokens[t]) @ answer.W @ z <= 1 + 1e-6
            if (next(dual) > 1e-6 * answer.dual.max() or tight) and not y * v @ tokens[a] > y * v @ tokens[t]:
                return "neither"
    return "local"


def test_the_ends_are_their_definition(run):
    ends = {}
    for label, s, p, t, _ in run.each():
        d, labels = int(label.split("_")[2][1:]), label.split("_")[3]
        for steps, runs in t.items():
            for rule, log in runs.items():
                ends.setdefault((labels, d, steps, rule), []).append(end_of(p, s, log["probabilities"][s], rule))
    found = {word for words in ends.values() for word in words}
    assert {"global", "local"} <= found, "an example of either"
    table = run.table.set_index([*KEYS, "quantity"]).value
    assert len(ends) == 2 * 2 * 2 * 6
    for key, words in ends.items():
        for quantity in measures.ENDS:
            assert table[(*key, quantity)] == pytest.approx(words.count(quantity) / 6), (key, quantity)
    for labels, steps in (("random", "short"), ("told", "long")):
        hits = {
            rule: np.array([word == "global" for d in (4, 6) for word in ends[labels, d, steps, rule]], dtype=float)
            for rule in descent.RULES
        }
        for rule in descent.RULES[1:]:
            row = run.table[(run.table.labels == labels) & (run.table.steps == steps) & (run.table.rule == rule)]
            lead = row[row.quantity == "lead_global"].iloc[0]
            difference = hits["fro"] - hits[rule]
            half = 2.200985160091639 * difference.std(ddof=1) / np.sqrt(12)
            expected = difference.mean() + np.array([0, -half, half])
            np.testing.assert_allclose(lead[["value", "low", "high"]].astype(float), expected, rtol=0, atol=1e-12)


def test_new_inputs_are_counted_one_by_one(run):
    hits = {}
    for label, s, p, t, _ in run.each():
        d, labels = int(label.split("_")[2][1:]), label.split("_")[3]
        new = problems.new_inputs(Cell(3, 4, d, (), labels), p["seeds"], 50)
        assert len(new.queries[s]) == 50
        np.testing.assert_array_equal(new.head[s], p["head"][s])
        best = best_tokens(new.tokens[s], new.labels[s], new.head[s])
        for steps, runs in t.items():
            for rule, log in runs.items():
                chosen = winners(new.tokens[s], log["weights"][s], new.queries[s])
                hits.setdefault((labels, d, steps, rule), []).append((best == chosen).mean())
    table = run.table[run.table.quantity == "held_out"].set_index(KEYS).value
    assert sorted(table.index) == sorted(hits)
    for key, shares in hits.items():
        assert table[key] == pytest.approx(np.mean(shares), abs=1e-12)
    assert (run.table[run.table.quantity == "blind"].value == 1 / 4).all()


def test_an_instance_and_its_new_inputs_are_one_draw_cut_in_two():
    cell, settings = Cell(2, 3, 5, (4, 9), "random"), {"held_out": 7}
    whole = draw(gaussian, (4, 9), 9, 3, 5)
    old, new = problems.problems(cell, settings), problems.new_inputs(cell, (4, 9), 7)
    for name in ("tokens", "queries", "labels"):
        np.testing.assert_array_equal(np.concatenate([getattr(old, name), getattr(new, name)], 1), getattr(whole, name))
    assert old.tokens.shape[1] == 2


def test_a_query_tells_the_label():
    """z ∝ g + label·u with unit g and u: the sum over labels times z points along u, and z is a unit vector."""
    cell = Cell(40, 3, 8, (1, 2, 3), "told")
    told = problems.problems(cell, {"held_out": 1})
    np.testing.assert_allclose(np.linalg.norm(told.queries, axis=-1), 1, atol=1e-6)  # float32 draws
    u = (told.labels[..., None] * told.queries).mean(1)
    u /= np.linalg.norm(u, axis=-1, keepdims=True)
    right = np.sign(np.einsum("snd,sd->sn", told.queries, u)) == told.labels
    assert right.mean() > 0.9
    untold = problems.problems(Cell(40, 3, 8, (1, 2, 3), "random"), {"held_out": 1})
    assert np.linalg.norm((untold.labels[..., None] * untold.queries).mean(1), axis=-1).max() < 0.4  # 1/√40 = 0.16


@pytest.mark.parametrize("name", descent.RULES)
def test_no_step_is_longer_than_the_length(name):
    batch, n, d = draw(gaussian, range(3), 2, 3, 5), 2, 5
    log = train(batch, LinearHead, "W", descent.rule(name, 0.2, n, d), 1, np.array([0, 1]))
    moved = np.linalg.norm(log.weights[:, 1] - log.weights[:, 0], axis=(1, 2))
    np.testing.assert_allclose(moved, 0.2, rtol=1e-6)  # Adam's first step is a sign step
