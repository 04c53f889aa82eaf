"""Planted rules, flipped labels and new inputs: the draws, the table by hand."""

from dataclasses import replace

import numpy as np
import pytest
from by_hand import separable

from attnsvm.data.cells import Cell
from attnsvm.experiments.real.generalisation import measures, problems

SMALL = {
    "problems": {"T": 4, "d": 3, "gaussian_n": [3, 8], "digits_n": [3], "first_seed": 2, "instances": 3},
    "descent": {"steps": 60, "points": 4},
    "svm": {"nuclear_constraints": 50},
    "measures": {"early": 3, "fitted": 0.6},
}
SHAPE = {"gaussian": (4, 3), "digits": (16, 20)}


def cell(variant, n, seeds=(5, 9)):
    return Cell(n, *SHAPE[variant.split("_")[0]], seeds, variant)


def drawn(variant, n, **settings):
    return problems.problems(cell(variant, n), {"held_out": 30, "flipped": 0.2} | settings)


def planted(seed, d):
    """v, u and the rule of full rank, as drawn."""
    rng = np.random.default_rng([problems.STREAM, seed, problems.RULE])
    v, u = (x / np.linalg.norm(x) for x in rng.normal(size=(2, d)))
    return v, u, rng.normal(size=(d, d))


def by_rule(X, Z, W):
    """The winning token of each input; −1 where the two best draw."""
    scores = [tokens @ W @ z for tokens, z in zip(X, Z, strict=True)]
    draws = [np.diff(np.sort(s)[-2:])[0] <= 1e-9 * np.abs(s).max() for s in scores]
    return np.array([-1 if draw else s.argmax() for s, draw in zip(scores, draws, strict=True)])


@pytest.mark.parametrize("name", ["gaussian", "digits"])
def test_an_instance_grows_and_its_labels_flip_and_nothing_else_changes(name):
    small, large, flipped = drawn(f"{name}_clean", 4), drawn(f"{name}_clean", 50), drawn(f"{name}_flipped", 50)
    np.testing.assert_array_equal(small.tokens, large.tokens[:, :4])
    np.testing.assert_array_equal(small.queries, large.queries[:, :4])
    for field in ("tokens", "queries", "head"):
        np.testing.assert_array_equal(getattr(flipped, field), getattr(large, field))
    changed = flipped.labels != large.labels
    np.testing.assert_array_equal(changed, problems.flipped(cell(f"{name}_flipped", 50), (5, 9), 0.2))
    assert 0.05 < changed.mean() < 0.4  # 100 inputs: 0.2 ± 0.04
    # The flipped input asks for the token at the other end along v.
    score = np.einsum("sntd,sd->snt", large.tokens, large.head) * large.labels[..., None]
    np.testing.assert_array_equal(problems.wanted(flipped)[changed], score.argmin(-1)[changed])


def test_coins_flip_half_of_the_labels():
    coins = problems.flipped(Cell(400, 4, 3, (0, 1), "gaussian_random"), (0, 1), 0.2)
    assert abs(coins.mean() - 0.5) < 0.07  # four standard deviations of 800 coins


@pytest.mark.parametrize("name", ["gaussian", "digits"])
def test_new_inputs_are_not_among_the_training_inputs(name):
    here = cell(f"{name}_flipped", 20)
    old, new = drawn(f"{name}_flipped", 20), problems.inputs(here, (5, 9), 30, new=True)
    assert new.tokens.shape[1] == 30
    for s in range(2):
        for z in new.queries[s]:
            assert (np.abs(old.queries[s] - z).max(1) > 1e-9).all()


def test_the_table_is_its_definition(run):
    held_out = {}
    for label, s, p, trained, solved in run.each():
        n = int(label[1:].split("_")[0])
        variant = label.split("_", 3)[3]
        tokens, seed = p["tokens"][s], int(p["seeds"][s])
        v, u, M = planted(seed, tokens.shape[-1])
        W_star = M if variant.endswith("full") else np.outer(v, u)
        new = problems.inputs(Cell(n, *tokens.shape[1:], (seed,), variant), (seed,), 200, new=True)
        right = by_rule(new.tokens[0], new.queries[0], W_star)
        wanted = by_rule(tokens, p["queries"][s], W_star)
        flips = problems.flipped(Cell(n, *tokens.shape[1:], (seed,), variant), (seed,), 0.2)[0]
        if flips.any():
            wanted[flips] = (tokens @ v * p["labels"][s][:, None]).argmax(1)[flips]
        good = solved["fro"]["status"][s] == "solved"
        assert good == separable(tokens, p["queries"][s], wanted)
        held_out.setdefault((variant, n, "fro", "separable", 0), []).append(good)
        ways = (
            [("W", int(k), W) for k, W in zip(trained["steps"], trained["weights"][s], strict=True)] if trained else []
        )
        ways += [(norm, 0, answers["W"][s]) for norm, answers in solved.items() if good]
        for by, step, W in ways:
            train = by_rule(tokens, p["queries"][s], W) == wanted
            assert by == "W" or train.all()
            values = {"held_out": (by_rule(new.tokens[0], new.queries[0], W) == right).mean(), "train": train.mean()}
            if flips.any():
                values["flips"] = train[flips].mean()
            for quantity, value in values.items():
                held_out.setdefault((variant, n, by, quantity, step), []).append(value)
    keys = ["variant", "n", "by", "quantity", "step"]
    table = run.table.set_index(keys)
    for key, values in held_out.items():
        assert table.loc[key, "value"] == pytest.approx(np.mean(values), abs=1e-12), key
        assert table.loc[key, "instances"] == len(values)
    differences = {"lead", "early", "drop", "fitted"}
    chance = table.query("by == 'chance'").index
    rest = set(table.index) - set(held_out) - set(chance)
    assert {quantity for *_, quantity, _ in rest} <= differences
    # Of the differences, those of means over the same instances are the differences of means.
    last = run.settings["descent"]["steps"]
    early = min(step for *_, by, quantity, step in held_out if by == "W" and step >= 3)
    for variant, n in (("gaussian_clean", 8), ("digits_flipped", 3)):
        means = [np.mean(held_out[variant, n, "W", "held_out", step]) for step in (early, last)]
        assert table.loc[(variant, n, "W", "early", 0), "value"] == pytest.approx(means[0] - means[1], abs=1e-12)
    ends = [np.mean(held_out[f"digits_{labels}", 3, "W", "held_out", last]) for labels in ("clean", "flipped")]
    assert table.loc[("digits_flipped", 3, "W", "drop", 0), "value"] == pytest.approx(ends[0] - ends[1], abs=1e-12)
    assert table.loc[("digits_clean", 3, "nuc", "lead", 0), "value"] == pytest.approx(
        np.mean(np.subtract(*(held_out["digits_clean", 3, by, "held_out", 0] for by in ("nuc", "fro")))), abs=1e-12
    )


def test_a_draw_is_no_win():
    """Two equal tokens, the wanted one among them; a W that sees nothing else apart."""
    clean = drawn("gaussian_clean", 3)
    W = np.stack([np.outer(*planted(seed, 3)[:2]) for seed in (5, 9)])[:, None]
    assert measures._selects(clean, W).all()
    first, place = clean.tokens.copy(), problems.wanted(clean)
    first[0, 0, (place[0, 0] + 1) % 4] = first[0, 0, place[0, 0]]
    right = measures._selects(replace(clean, tokens=first), W)
    assert not right[0, 0, 0]
    assert right.sum() == 5
