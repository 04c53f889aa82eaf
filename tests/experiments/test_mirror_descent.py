"""Mirror descent: the distance against its definition, whose tokens are compared, the starts, what is drawn."""

import drawing
import numpy as np
import pandas as pd
import pytest
from by_hand import slope

from attnsvm.analysis.measured import Measures
from attnsvm.analysis.rows import where
from attnsvm.analysis.selection import optimal_tokens
from attnsvm.analysis.statistics import MEAN, QUARTILES
from attnsvm.data.draws import draw, gaussian
from attnsvm.errors import UserError
from attnsvm.experiments.beyond.mirror_descent import figure, measures
from attnsvm.experiments.beyond.mirror_descent.svm import norm
from attnsvm.svm import certified, separation, solve
from attnsvm.training import LinearHead, mirror, train
from attnsvm.training.start import draw_initial
from attnsvm.training.start import normal as normal_entries

P = (1.75, 2.0, 3.0)
SMALL = {
    "problems": {"n": 3, "T": 4, "d": 6, "first_seed": 3, "instances": 4},
    "descent": {"p": [1.75, 2, 3], "steps": [60, 50, 80], "points": 4},
}


def definition(best, W, q):
    """φ(A) − φ(B) − ⟨∇φ(B), A − B⟩ with φ = Σ|·|^q/q and its gradient by central differences, for scaled A and B."""
    A, B = best / np.linalg.norm(best.ravel(), q), W / np.linalg.norm(W.ravel(), q)

    def phi(x):
        return (np.abs(x) ** q).sum() / q

    return phi(A) - phi(B) - (slope(phi, B) * (A - B)).sum()


def test_the_table_is_its_definition(run):
    values, same, solutions = {}, {"published": [], "own": [], "exact": [], "shared": []}, {}
    for _, s, p, t, _ in run.each():
        for comparison, starts in (("published", "apart"), ("own", "apart"), ("exact", "exact"), ("shared", "shared")):
            selected = {name: log["probabilities"][s].argmax(1) for name, log in t[starts].items()}
            same[comparison].append(len({tuple(tokens) for tokens in selected.values()}) == 1)
            for name, log in t[starts].items():
                for other in selected:
                    tokens = selected[name if comparison in ("own", "exact") else other]
                    asked = p["seeds"][s], *tokens, other
                    if asked not in solutions:
                        solutions[asked] = solve(separation(p["tokens"][s], p["queries"][s], tokens), norm(other)).W
                    for step, W in zip(log["steps"], log["weights"][s], strict=True):
                        key = comparison, float(name), float(other), int(step)
                        values.setdefault(key, []).append(definition(solutions[asked], W, float(other)))
    names = ["comparison", "p", "q", "step"]
    drawn, means = (where(run.table, interval=kind).set_index(names) for kind in (QUARTILES, MEAN))
    assert sorted(drawn.index) == sorted(values)
    for key, sample in values.items():
        row = drawn.loc[key]
        assert row.instances == 4
        # 1e-6: the differences of the definition, and the gaps of two solves
        expected = np.quantile(sample, (0.5, 0.25, 0.75))
        np.testing.assert_allclose(row[["value", "low", "high"]].astype(float), expected, rtol=0, atol=1e-6)
    last = {1.75: 60, 2.0: 50, 3.0: 80}
    assert sorted(means.index) == [key for key in sorted(values) if key[-1] == last[key[1]]]
    for key in means.index:
        assert means.loc[key, "value"] == pytest.approx(np.mean(values[key]), abs=1e-6)
    for comparison, hits in same.items():
        rows = run.table[run.table.comparison == comparison]
        assert rows[rows.quantity == "same_tokens"].value.tolist() == [np.mean(hits)]
        for q in P:
            ends = np.array([values[comparison, p, q, last[p]] for p in P])
            nearest = (ends.argmin(0) == P.index(q)).mean()
            assert rows[(rows.quantity == "nearest") & (rows.q == q)].value.tolist() == [nearest]


def test_starts_have_seeds_and_a_first_step_has_the_length_of_the_rate_in_the_dual_norm(run):
    """sign(W)|W|^(p−1) moves by η in the norm of q = p/(p − 1), from W(0) ~ N(0, 1): one for each p, or one for all."""
    for _, p, t, _ in run.cells:
        for starts, runs in t.items():
            for name, log in runs.items():
                power = float(name)
                stream = "mirror" if starts == "shared" else f"mirror {power:g}"
                W = draw_initial(stream, p["seeds"], normal_entries((6, 6))), log["weights"][:, 0]
                assert log["steps"][0] == 1
                before, after = (np.sign(x) * np.abs(x) ** (power - 1) for x in W)
                q = power / (power - 1)
                moved = (np.abs(after - before) ** q).sum((1, 2)) ** (1 / q)
                np.testing.assert_allclose(moved, 0.1, rtol=1e-9)  # ε = 2.2e-16 beside a gradient of 1e-2


def test_without_an_instance_there_is_a_sentence():
    with pytest.raises(UserError, match="mirror_descent: no instance has a certified solution in every norm"):
        measures.table(Measures(pd.DataFrame(columns=["comparison"]), pd.DataFrame()), {})


def test_every_number_of_the_table_is_drawn(run):
    table = drawing.told_apart(run.table, "value")
    shown = where(table, interval=QUARTILES)
    shown = shown[shown.comparison.isin(figure.WORDS)]
    drawing.assert_drawn(figure.draw, table, shown[["step", "value"]])


def test_only_exact_steps_go_on_where_the_gradient_is_gone():
    """At margins of 100 the gradient is far below 2.2e-16: the published step is nothing, the exact one η."""
    problem = draw(gaussian, range(2), 3, 4, 6)
    best = certified(problem, optimal_tokens(problem.tokens, problem.head, problem.labels), "fro")["W"]
    for published, least, most in ((True, 0.0, 1e-6), (False, 0.1 - 1e-9, 0.1 + 1e-9)):
        rule = mirror(2.0, 0.1, published=published)
        log = train(problem, LinearHead, "W", rule, 1, np.array([0, 1]), start=100 * best)
        moved = np.linalg.norm(log.weights[:, 1] - log.weights[:, 0], axis=(1, 2))
        assert (moved >= least).all()
        assert (moved <= most).all()
