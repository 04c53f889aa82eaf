"""Weight decay on K and Q: the nuclear norm of K Qᵀ, its growth, and the columns that it needs."""

from attnsvm.audit.conditions import FIRST, number
from attnsvm.audit.evaluation import Claims

CLAIMS = Claims(group="beyond")
least = number(decay=FIRST, missing="{quantity} of {run}")
full, met = least(run="all columns"), least(quantity="share met")
guess = least(quantity="share guessed").without_interval()

CLAIMS.declare(
    "decay_factors",
    (
        full(quantity="gap", text="relative gap of the conditions").must(
            "≤ 0.001", "what L-BFGS leaves is less", "conditions unmet by {value:.2g}"
        ),
        full(quantity="growth", text="growth of the norm from the λ before, over that of the law").must(
            "growth, off one ≤ 0.02", "λ is finite", "growth {value:.3f}", around=1.0
        ),
    ),
    least(run=("one matrix", "m = 1"), quantity="gap").must(
        "unmet, each ≥ 0.1", "else any would do", "{run}: {value:.2g}"
    ),
    short="decay on $(K, Q)$: the nuclear norm",
    statement="Local minima with weight decay λ on K and Q meet the nuclear norm's conditions (suggested by the "
    "abstract of arXiv:2410.23819). As λ vanishes their norm grows like log(1/λ) times the least separating one.",
)
CLAIMS.declare(
    "decay_factors_rank",
    least(run=("m = 2", "m = 3"), quantity="share agreeing").must(
        "share ≥ 0.9",
        "nine in ten, beyond doubt",
        "{run}: {value:.2f} [{low:.2f}, {high:.2f}], a constant guess {guess.value:.2f}",
        guess=guess(run=("m = 2", "m = 3")),
    ),
    least(run=("m = 2", "m = 3"), quantity="share agreeing").above(
        guess(run=("m = 2", "m = 3")), "{run}: more than a constant guess"
    ),
    met(run="m = 2").must("met with m = 2 ≤ 0.5", "else two columns would do", "m = 2: {value:.2f}"),
    met(run="m = 3").must("met with m = 3 ≥ 0.5", "else no count was told apart", "m = 3: {value:.2f}"),
    short="columns needed: the rank of the free minimum",
    statement="At m columns weight decay on K and Q is the nuclear norm exactly where the minimum with all columns has "
    "rank m or less. Said of Gaussian tokens at one λ, where both select the same tokens.",
)
