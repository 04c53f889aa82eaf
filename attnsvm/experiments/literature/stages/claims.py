"""Two stages of next words: how both layers turn, how the loss falls, what follows for new sentences, and at once."""

from attnsvm.audit.numbers import Limit, estimate, largest
from attnsvm.audit.reading import Claims, Reading, some
from attnsvm.audit.rows import where

STAGES = (("first", "gaussian"), ("second", "gaussian"), ("second", "orthonormal"))
WORDS = ("orthonormal", "gaussian")
CLAIMS = Claims(group="beyond")


def end_of(tables, words, stage, run, quantity):
    """The quantity after the last step."""
    rows = where(tables.own(), words=words, stage=stage, run=run, quantity=quantity)
    return estimate(some(rows, f"{quantity} of {run}, {stage}, {words}").sort_values("at").iloc[-1])


@CLAIMS.add(
    short="two stages: max-margin, both",
    statement="In two stages of normalised descent the values and then the attention weights turn to their max-margin "
    "solutions, sub-linearly (arXiv:2409.17335, as its abstract says): like 1/t, up to a logarithm.",
    check="distance of directions from the certified solutions, and its exponent in t over the last decade: medians "
    "with 95 % intervals; control: plain descent; orthonormal words, where the first stage has the direction at its "
    "first step",
    measured="distance of unit directions at the end, median, the largest of both stages",
    asked=Limit(0.03, "each ≤ {}", "margins within 3 % of the best ones"),
    least=Limit(-1.15, "exponent of each ≥ {}", "faster than 1/t is not sub-linear as proved"),
    most=Limit(-0.75, "exponent of each ≤ {}", "log t/t has −1 + 1/log t: −0.86 at t = 1000"),
    plain=Limit(-0.25, "plain descent: exponent ≥ {}", "1/log t has −1/log t: the rule makes the rate"),
    exact=Limit(1e-6, "orthonormal words, first stage ≤ {}", "all words alike: no step turns"),
)
def stages_turn(tables, asked, least, most, plain, exact):
    """The distances at the end, the exponents, those of plain descent, and the stage that is there at once."""
    found, parts = {}, {}
    for stage, words in STAGES:
        name = f"{stage} stage, {words}"
        found[name] = end_of(tables, words, stage, "normalised", "distance")
        slope = end_of(tables, words, stage, "normalised", "exponent")
        control = end_of(tables, words, stage, "plain", "exponent")
        parts[f"{name}: {found[name].value:.4f}"] = asked(found[name])
        parts[f"{name}: as t^{slope.value:.2f}"] = least(slope.low) and most(slope.high)
        parts[f"{name}, plain descent: as t^{control.value:.2f}"] = plain(control)
    once = end_of(tables, "orthonormal", "first", "normalised", "distance")
    parts[f"first stage, orthonormal: {once.value:.0e}"] = exact(once)
    return Reading(*largest(found), parts)


@CLAIMS.add(
    short="two stages: the loss, linearly",
    statement="The cross entropy converges linearly in both stages, by the same factor in every step "
    "(arXiv:2409.17335, as its abstract says); in the second one to the limit that the kept values leave.",
    check="exponent in t of −log of the loss, in the second stage of the rest, over the last decade: medians with 95 % "
    "intervals; control: plain descent",
    measured="exponent of −log loss in t, the smallest of both stages",
    asked=Limit(0.85, "each ≥ {}", "one, less what the first tenth of the decade gains"),
    most=Limit(1.15, "exponent of each ≤ {}", "more would be faster than linear"),
    plain=Limit(0.6, "plain descent ≤ {}", "1/t has 1/log t, after its first steps more"),
)
def stages_loss(tables, asked, most, plain):
    """The slopes of log(−log loss) of both stages, and of plain descent."""
    found, parts = {}, {}
    for stage, words in (*STAGES, ("first", "orthonormal")):
        name = f"{stage} stage, {words}"
        found[name] = end_of(tables, words, stage, "normalised", "deepening")
        control = end_of(tables, words, stage, "plain", "deepening")
        parts[f"{name}: −log loss as t^{found[name].value:.3f}"] = asked(found[name]) and most(found[name])
        parts[f"{name}, plain descent: t^{control.value:.2f}"] = plain(control)
    return Reading(*asked.worst(found), parts)


@CLAIMS.add(
    short="two stages: sentences never seen",
    statement="The trained layer says the right next word of sentences never seen if the trained ones imply which word "
    "is best; with orthonormal words it also puts a word that was always best above one never seen with the query, and "
    "that one above words that were never best (arXiv:2409.17335: dataset shift; the cases are our reading).",
    check="share of right next words by kind of sentence, mean over the instances with its 95 % interval; controls: "
    "Gaussian words, and sentences of which nothing follows",
    measured="share of right next words, orthonormal words, the smallest of three kinds",
    asked=Limit(0.99, "each ≥ {}", "implied is implied"),
    needs=Limit(0.95, "Gaussian words, below ≤ {}", "else orthonormal words are not needed"),
    hidden=Limit(0.75, "nothing follows ≤ {}", "by chance of three words .33, of the two likely ones .5"),
)
def stages_shift(tables, asked, needs, hidden):
    """What follows is right with orthonormal words; what needs them is not with others; what does not follow is not."""
    found, parts = {}, {}
    for kind in ("implied", "above", "below"):
        found[kind] = end_of(tables, "orthonormal", "second", "normalised", kind)
        parts[f"orthonormal, {kind}: {found[kind].value:.3f}"] = asked(found[kind])
    other = end_of(tables, "gaussian", "second", "normalised", "implied")
    parts[f"gaussian, implied: {other.value:.3f}"] = asked(other)
    lost = end_of(tables, "gaussian", "second", "normalised", "below")
    parts[f"gaussian, below: {lost.value:.3f}"] = needs(lost)
    for words in WORDS:
        guessed = end_of(tables, words, "second", "normalised", "open")
        parts[f"{words}, open: {guessed.value:.2f}"] = hidden(guessed)
    return Reading(*asked.worst(found), parts)


@CLAIMS.add(
    short="both at once: no such order",
    statement="Trained at once from zero, both layers learn the training sentences, and not what these imply: values "
    "make up for attention to other words, and W is far from the max-margin solution (ours).",
    check="share of right next words of trained sentences and of those where an unseen word is to win, mean with its "
    "95 % interval; distance from the solution, median with its 95 % interval",
    measured="share right where an unseen word is to win, both layers at once",
    asked=Limit(0.5, "each ≤ {}", "in two stages all are right with orthonormal words, four fifths with others"),
    learned=Limit(0.99, "trained sentences ≥ {}", "else it is no more than a run that has not ended"),
    away=Limit(0.2, "distance from the solution ≥ {}", "ten times what two stages end with"),
)
def stages_together(tables, asked, learned, away):
    """Both layers at once: right on what was trained, wrong on what follows, and away from the solution."""
    found, parts = {}, {}
    for words in WORDS:
        found[words] = end_of(tables, words, "second", "together", "below")
        known = end_of(tables, words, "second", "together", "trained")
        distance = end_of(tables, words, "second", "together", "distance")
        parts[f"{words}, trained sentences: {known.value:.3f}"] = learned(known)
        parts[f"{words}, below: {found[words].value:.2f}"] = asked(found[words])
        parts[f"{words}, distance: {distance.value:.2f}"] = away(distance)
    return Reading(*largest(found), parts)
