"""Weight decay on K and Q under descent: the published step, and how fast the factors balance."""

from attnsvm.audit.conditions import FIRST, LAST, number
from attnsvm.audit.reading import Claims

CLAIMS = Claims(group="beyond")
end, least = (number(along=place, missing="{quantity} of {run}") for place in (LAST, FIRST))
pace, missing = end(run="decay"), least(quantity="missing")

CLAIMS.declare(
    "decay_factors_published",
    (
        missing(run="falling").must("≤ 0.02", "the norm is some thousands", "with decay {value:.2g}"),
        missing(run="without decay").above(missing(run="falling"), "without decay {value:.2g}, intervals apart"),
    ),
    (missing(run="constant") / missing(run="falling")).must(
        "one length, times as much ≥ 1.5", "steps longer than λ cross", "steps of one length {value:.2g} times as much"
    ),
    short="decay mends the published step",
    statement="With decoupled weight decay λ and falling steps, the published step on (K, Q), which divides each "
    "gradient by its norm, goes to the largest margin in the nuclear norm as λ vanishes; without decay, as many steps "
    "leave more of the margin missing, at a larger norm.",
    check="what is missing to a nuclear margin ratio of one with the least λ, medians with 95 % intervals; the same "
    "without decay, and with steps of one length over that",
    measured="median of one minus the margin ratio in the nuclear norm",
)
CLAIMS.declare(
    "decay_factors_pace",
    (
        pace(quantity="pace of balance").must(
            "pace, off one ≤ 0.02", "steps are finite", "balance {value:.3f}", around=1.0
        ),
        pace(quantity="pace of difference").must("pace of norms ≥ 0.98", "as the balance", "norms {value:.3f}"),
    ),
    end(run="no decay", quantity="balance").must("left without decay ≥ 0.9", "flow keeps it", "no decay {value:.3f}"),
    short="K and Q balance at the rate 2ηλ",
    statement="Under plain descent with weight decay KᵀK − QᵀQ falls like exp(−2ηλ·step), and the difference of "
    "½(‖K‖² + ‖Q‖²) and the nuclear norm at least as fast (arXiv:2410.23819).",
    check="rate of the fall up to the last step, over 2ηλ: medians with 95 % intervals; control: no decay",
    measured="median of the rate of the balance, over 2ηλ",
)
