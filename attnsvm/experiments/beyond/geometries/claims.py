"""Every rule of descent goes to the max-margin solution of its own norm: the diagonal of the matrix is largest."""

from attnsvm.audit.conditions import EACH, LAST, number
from attnsvm.audit.evaluation import Claims, Reading, some
from attnsvm.audit.numbers import Limit, estimate
from attnsvm.audit.rows import decade

CLAIMS = Claims(group="beyond")


of = number(step=LAST, kind="trained")
every = of(quantity="all", text="share of instances in which every rule's own norm and own rule are ahead")
across, down = of(quantity="row", rule=EACH), of(quantity="column", rule=EACH)
SHARE = (
    "share ≥ 0.95",
    "asked of all rules at once, and of each in its row and in its column: one instance in twenty may still be on its "
    "way",
)
untrained = every(kind="untrained")
# The control can kill the claim: if matrices that nobody trained, of the same shapes, did as well, the picture would
# show the shapes of single steps and no margins.
CLAIMS.declare(
    "geometries",
    (
        every.must(*SHARE, "all rules at once: {value:.2f}"),
        across.must(*SHARE, "{rule}: row {value:.2f}, column {down.value:.2f}", down=down),
        down.must(*SHARE, "{rule}: row {across.value:.2f}, column {value:.2f}", across=across),
    ),
    every.above(
        untrained, "more often than matrices of the same shapes, untrained ({untrained.value:.2f})", untrained=untrained
    ),
    short="every rule has its own SVM",
    statement="Steepest descent in each of nine norms has its largest share of the best margin in its own norm. No "
    "other rule has more there (n = 6, T = 8, d = 10).",
)


@CLAIMS.add(
    short="the margin of the own norm goes to the best",
    statement="Under steepest descent in a norm the margin in that norm goes to the best one.",
    measured="smallest median (quartiles) of the margin ratio in the own norm (best: 1)",
    limit=Limit(
        0.95,
        "lower quartile ≥ {}",
        "what is missing falls about like 1/steps; at the last step a few hundredths may be left",
    ),
    missing=Limit(
        0.5, "what is missing, over that a decade of steps before ≤ {}", "a limit below the best would leave all of it"
    ),
)
def geometries_limit(tables, limit, missing):
    """The smallest median own ratio of all rules; and whether what is missing to one still shrinks."""
    ratios = tables.own(kind="trained", quantity="ratio")
    own = some(ratios[ratios["rule"] == ratios["norm"]], "rule measured in its own norm")
    parts, further, found = {}, {}, []
    for rule, line in own.groupby("rule", sort=False):
        end, before = decade(line.sort_values("step"))
        found.append(own_norm := estimate(end))
        parts[f"{rule}: {own_norm.value:.4f}"] = limit(own_norm)
        words = f"{rule}: half of what was missing a decade before is gone"
        further[words] = missing((1 - end["value"]) / (1 - before["value"]))
    return Reading(*min(found), parts, further)
