"""Two stages of next words: how both layers turn, how the loss falls, what follows for new sentences, and at once."""

from attnsvm.audit.conditions import LAST, number
from attnsvm.audit.numbers import Limit, largest
from attnsvm.audit.reading import Claims, Reading

STAGES = (("first", "gaussian"), ("second", "gaussian"), ("second", "orthonormal"))  # that turn after their first step
WORDS = ("orthonormal", "gaussian")
end = number(at=LAST, missing="{quantity} of {run}, {stage}, {words}")
CLAIMS = Claims(group="beyond")


@CLAIMS.add(
    short="two stages: max-margin, both",
    statement="In two stages of normalised descent the values and then the attention weights turn to their max-margin "
    "solutions, sub-linearly (arXiv:2409.17335, as its abstract says): like 1/t, up to a logarithm.",
    check="distance of directions from the certified solutions, and its exponent in t over the last decade: medians "
    "with 95 % intervals; control: plain descent; orthonormal words, where the first stage has the direction at its "
    "first step",
    measured="distance of unit directions at the end, median, the largest of both stages",
    limit=Limit(0.03, "each ≤ {}", "margins within 3 % of the best ones"),
    least=Limit(-1.15, "exponent of each ≥ {}", "faster than 1/t is not sub-linear as proved"),
    most=Limit(-0.75, "exponent of each ≤ {}", "log t/t has −1 + 1/log t: −0.86 at t = 1000"),
    plain=Limit(-0.25, "plain descent: exponent ≥ {}", "1/log t has −1/log t: the rule makes the rate"),
    exact=Limit(1e-6, "orthonormal words, first stage ≤ {}", "all words alike: no step turns"),
)
def stages_turn(tables, limit, least, most, plain, exact):
    """The distances at the end, the exponents, those of plain descent, and the stage that is there at once."""
    table, found, parts, further = tables.own(), {}, {}, {}
    for stage, words in STAGES:
        name = f"{stage} stage, {words}"
        found[name] = end(words=words, stage=stage, run="normalised", quantity="distance").estimate(table)
        slope = end(words=words, stage=stage, run="normalised", quantity="exponent").estimate(table)
        control = end(words=words, stage=stage, run="plain", quantity="exponent").estimate(table)
        parts[f"{name}: {found[name].value:.4f}"] = limit(found[name])
        parts[f"{name}: as t^{slope.value:.2f}"] = least(slope.low) and most(slope.high)
        further[f"{name}, plain descent: as t^{control.value:.2f}"] = plain(control)
    once = end(words="orthonormal", stage="first", run="normalised", quantity="distance").estimate(table)
    further[f"first stage, orthonormal: {once.value:.0e}"] = exact(once)
    return Reading(*largest(found), parts, further)


deepening = end(stage=("first", "second"), words=("gaussian", "orthonormal"), quantity="deepening")
SLOPE = "{stage} stage, {words}: −log loss as t^{value:.3f}"
CLAIMS.declare(
    "stages_loss",
    (
        deepening(run="normalised").must("each ≥ 0.85", "one, less what the first tenth of the decade gains", SLOPE),
        deepening(run="normalised").must("exponent of each ≤ 1.15", "more would be faster than linear", SLOPE),
    ),
    deepening(run="plain").must(
        "plain descent ≤ 0.6",
        "1/t has 1/log t, after its first steps more",
        "{stage} stage, {words}, plain descent: t^{value:.2f}",
    ),
    short="two stages: the loss, linearly",
    statement="The cross entropy converges linearly in both stages, by the same factor in every step "
    "(arXiv:2409.17335, as its abstract says); in the second one to the limit that the kept values leave.",
    check="exponent in t of −log of the loss, in the second stage of the rest, over the last decade: medians with 95 % "
    "intervals; control: plain descent",
    measured="exponent of −log loss in t, the smallest of both stages",
)

said = end(stage="second", run="normalised")
FOLLOWS = "each ≥ 0.99", "implied is implied", "{words}, {quantity}: {value:.3f}"
CLAIMS.declare(
    "stages_shift",
    said(words="orthonormal", quantity=("implied", "above", "below")).must(*FOLLOWS),
    said(words="gaussian", quantity="implied").must(*FOLLOWS),
    said(words="gaussian", quantity="below").must(
        "Gaussian words, below ≤ 0.95", "else orthonormal words are not needed", "{words}, {quantity}: {value:.3f}"
    ),
    said(words=WORDS, quantity="open").must(
        "nothing follows ≤ 0.75",
        "by chance of three words .33, of the two likely ones .5",
        "{words}, {quantity}: {value:.2f}",
    ),
    short="two stages: sentences never seen",
    statement="The trained layer says the right next word of sentences never seen if the trained ones imply which word "
    "is best; with orthonormal words it also puts a word that was always best above one never seen with the query, and "
    "that one above words that were never best (arXiv:2409.17335: dataset shift; the cases are our reading).",
    check="share of right next words by kind of sentence, mean over the instances with its 95 % interval; controls: "
    "Gaussian words, and sentences of which nothing follows",
    measured="share of right next words, orthonormal words, the smallest of three kinds",
)

both = end(words=WORDS, stage="second", run="together")
CLAIMS.declare(
    "stages_together",
    (
        both(quantity="below").must(
            "each ≤ 0.5",
            "in two stages all are right with orthonormal words, four fifths with others",
            "{words}, {quantity}: {value:.2f}",
        ),
        both(quantity="trained").must(
            "trained sentences ≥ 0.99",
            "else it is no more than a run that has not ended",
            "{words}, trained sentences: {value:.3f}",
        ),
        both(quantity="distance").must(
            "distance from the solution ≥ 0.2",
            "ten times what two stages end with",
            "{words}, {quantity}: {value:.2f}",
        ),
    ),
    short="both at once: no such order",
    statement="Trained at once from zero, both layers learn the training sentences, and not what these imply: values "
    "make up for attention to other words, and W is far from the max-margin solution (ours).",
    check="share of right next words of trained sentences and of those where an unseen word is to win, mean with its "
    "95 % interval; distance from the solution, median with its 95 % interval",
    measured="share right where an unseen word is to win, both layers at once",
)
