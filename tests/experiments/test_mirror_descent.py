"""Mirror descent: the starts, the first steps, and those at margins where the gradient is gone."""

import numpy as np

from attnsvm.analysis.selection import optimal_tokens
from attnsvm.data.draws import draw, gaussian
from attnsvm.svm import certified
from attnsvm.training import LinearHead, mirror, train
from attnsvm.training.start import draw_initial
from attnsvm.training.start import normal as normal_entries

SMALL = {
    "problems": {"n": 3, "T": 4, "d": 6, "first_seed": 3, "instances": 4},
    "descent": {"p": [1.75, 2, 3], "steps": [60, 50, 80], "points": 4},
}


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
