"""A clip on the largest logit is a weight decay, and the certified solution says which, and where decay ends."""

from attnsvm.audit.conditions import FIRST, LAST, number
from attnsvm.audit.reading import Claims

CLAIMS = Claims(group="beyond")
NORMS, RUNS = ("fro", "linf", "spectral"), ("fro", "linf", "spectral", "AdamW")
end = number(level=LAST, missing="{quantity} of {run}")
missing = end(run=NORMS, kind="clip", quantity="missing")

CLAIMS.declare(
    "logit_clip",
    (
        end(run=NORMS, quantity="norm").must("norm, off one ≤ 0.05", "τ is finite", "{run}: {value:.3f}", around=1.0),
        end(run=NORMS, quantity="apart").must("far apart ≤ 0.005", "an angle of 6°", "apart from decay {value:.1g}"),
        missing(kind="free").below(missing, "without clip less of the margin is missing"),
    ),
    (missing / missing(level=FIRST)).must(
        "missing, over that at the least τ ≤ 0.3", "a limit would leave all", "{run}: {value:.2f}"
    ),
    short="a clip on logits is weight decay",
    statement="With its largest logit clipped at τ = 100 W stops at the norm τ/v, v the predicted slope over η, in "
    "the direction that decoupled decay to this norm leads to, and more of the margin is missing than without clip.",
    check="norm over τ/v, 1 − correlation of W under the clip and under decay at its norm, what is missing to a margin "
    "ratio of one, and without clip: medians with 95 % intervals; further: what is missing, over that at τ = 10",
    measured="norm over the predicted one, the farthest from one",
)
CLAIMS.declare(
    "logit_plateau",
    end(run=RUNS, quantity="plateau").must("off one ≤ 0.05", "λ > 0", "{run}: {value:.3f}", around=1.0),
    end(run=RUNS, quantity="norm alone").must("over the ball's ≤ 0.9", "else it says all", "{value:.2f} of the ball's"),
    short="decay: logits stop at v/λ",
    statement="With decoupled decay λ the largest logit ends at v/λ, in the Frobenius, max and spectral norms and for "
    "AdamW, v the certified margin at norm one times the spread.",
    check="largest logit at the end over v/λ, with the least λ: medians with 95 % intervals; control: it over the "
    "largest that a W of the norm 1/λ can have",
    measured="largest logit over the predicted one, the farthest from one",
)
