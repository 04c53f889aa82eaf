"""Low entropy under gradient flow: where it comes without a margin to gain, its pace with one, and who wins."""

from attnsvm.audit.conditions import LAST, number
from attnsvm.audit.numbers import Limit, estimate
from attnsvm.audit.reading import Claims, Reading, some
from attnsvm.audit.rows import ends, where

CLAIMS = Claims(group="beyond")
end = number(at=LAST, missing="{quantity} of {model}")
published = end(model=("published, logistic", "published, square"))
trained, frozen = end(model="margin, V trained"), end(model="margin, V frozen")
LOSSES = {"published, logistic": "logistic", "published, square": "square"}


def by_size(tables, model, quantity, start):
    """The rows of one start, by size of the target: the first, the last but one, the last."""
    rows = where(tables.own(), model=model, quantity=quantity)
    rows = some(rows[rows["start"] == getattr(rows["start"], start)()], f"{quantity} of {model}").sort_values("at")
    small, large = ends(rows, "at")
    return estimate(small), estimate(rows.iloc[-2]), estimate(large)


CLAIMS.declare(
    "entropy_low",
    published(quantity="tokens").must(
        "each ≤ 2", "fewer than two tokens share what ten shared", "{model} loss: {value:.2f} tokens", names=LOSSES
    ),
    published(quantity="fell").must(
        "share of instances in which the entropy falls ≥ 0.9",
        "nearly all, beyond doubt",
        "{model} loss: fewer than at the start in {value:.2f} of the instances",
        names=LOSSES,
    ),
    short="value and softmax: low entropy",
    statement="Gradient flow on the value-softmax model drives the softmax to low entropy, under the logistic and "
    "under the square loss (arXiv:2603.06248, as its abstract says; settings of its notebook).",
    check="exp of the entropy at the end, of ten tokens, median with its 95 % interval; share of instances in which it "
    "is below that of the start, Wilson interval",
    measured="number of tokens that share the softmax, median, the larger of both losses",
    unsharpened="A target of size 1 multiplies what is uneven at the start by three at most, and the loss has nothing "
    "to gain from more: the row entropy_amplified says what the size decides.",
)


@CLAIMS.add(
    short="without margin: e to the target's size",
    statement="Under the square loss, where the softmax has nothing to gain, descent multiplies what is uneven at the "
    "start by cosh B and sinh B, B the size of the target: so a large target leaves few tokens, a small one all of "
    "them, and a smaller start needs a larger target; in an attention layer, too.",
    check="distance of the logits from a cosh B + u sinh B, least start, last size but one, relative; number of tokens "
    "at the largest and share of tokens at the smallest size: medians with 95 % intervals",
    measured="relative distance of the logits from the law, median",
    limit=Limit(0.1, "≤ {}", "the next order is the spread itself: e⁴ times a thousandth, twice"),
    few=Limit(2.0, "tokens at the largest target ≤ {}", "e⁸ times a tenth is beyond every softmax"),
    even=Limit(0.95, "share of tokens at the smallest target ≥ {}", "else polarising needed no size"),
)
def entropy_amplified(tables, limit, few, even):
    """The law where it is small, few tokens where it is large, and all of them where the target is small."""
    _, error, _ = by_size(tables, "square", "error", "min")
    parts = {f"least start, last size but one: off by {error.value:.3f}": limit(error)}
    for model in ("square", "layer"):
        *_, kept = by_size(tables, model, "tokens", "max")
        share, *_ = by_size(tables, model, "even", "max")
        parts[f"{model}, largest target: {kept.value:.2f} tokens"] = few(kept)
        parts[f"{model}, smallest target: {share.value:.3f} of all tokens"] = even(share)
    tiny, great = (by_size(tables, "square", "tokens", start)[-1] for start in ("min", "max"))
    further = {f"largest target, least start: {tiny.value:.2f} tokens, intervals apart": tiny.low > great.high}
    return Reading(*error, parts, further)


CLAIMS.declare(
    "entropy_pace",
    (
        trained(quantity="exponent").must(
            "distance of each end from −2 ≤ 0.05",
            "of the next order are powers of 1/τ",
            "V trained: 1 − σ as τ^{value:.3f}",
            around=-2.0,
        ),
        trained(quantity="constant").must("times τ² ≥ 1", "one rival", "times τ²: {value:.3f}"),
        trained(quantity="constant").must(
            "times τ² ≤ 2", "2(1 − 1/C), all others alike, is less for every C", "times τ²: {value:.3f}"
        ),
        frozen(quantity="exponent").must(
            "V frozen: distance of each end from −1 ≤ 0.1",
            "logarithms of the passage remain",
            "V frozen: τ^{value:.3f}",
            around=-1.0,
        ),
    ),
    short="logistic loss: entropy as 1/log²",
    statement="Under the logistic loss, what the softmax leaves to other tokens falls as 2(1 − 1/C)/τ² in the time τ "
    "of the margin's flow, τ of the order log t; with V frozen it falls as 1/τ, and τ is of the order t: a trained V "
    "makes the softmax polarise more slowly (the rates are ours).",
    check="slope of the logarithms over the last two decades of τ, by instance, and the product with τ²: medians with "
    "95 % intervals; the slope with V frozen",
    measured="exponent of 1 − σ in τ, V trained",
)

CLAIMS.declare(
    "entropy_winner",
    (
        trained(quantity="sum").must(
            "≥ 0.85",
            "nearly all: the second order decides where the two largest are close",
            "V trained: the largest a + u in {value:.2f}",
        ),
        trained(quantity="value").must(
            "V trained, largest u ≤ 0.6",
            "by chance both agree in .43 of the instances",
            "V trained: the largest u in {value:.2f}",
        ),
        frozen(quantity="value").must(
            "V frozen, largest u ≥ 0.95", "all, beyond doubt", "V frozen: the largest u in {value:.2f}"
        ),
    ),
    short="V trained: not the best value wins",
    statement="With V trained the token wins whose logit and value together are the largest at the start, "
    "not that of the largest value alone; with V frozen the token of the largest value.",
    check="share of instances in which the token of largest a + u, of largest u at the start has the largest "
    "probability at the end, Wilson intervals; V trained and V frozen",
    measured="share of instances, V trained, largest a + u",
    unsharpened="With V frozen the exceptions have two largest values close together: the better one catches up after "
    "a time exponential in one over their difference, beyond those followed.",
)
