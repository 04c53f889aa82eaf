"""Real tokens go where Gaussian ones go, nearer than any control, and not much later."""

from functools import partial

from attnsvm.audit.numbers import Limit, estimate, exact, largest
from attnsvm.audit.reading import Claims, Reading, only, some
from attnsvm.audit.rows import last, one, single, where

REAL = {
    "digits_random": "random head",
    "digits_labels": "the digits' labels",
    "digits_position": "a token as query",
}
CONTROLS = {
    "wrong": "the other norm's solution",
    "other": "the solution of another head's selection",
    "random": "a random matrix and its own solution",
}
MISSING = "saturated and certified run of {}"
CHECK = (
    "median of 1 − correlation after the last step with its 95 % interval, the largest of three settings; controls: "
    "share of instances, with Wilson interval, in which it is nearer than to the other norm's solution, than to the "
    "solution of another head's selection, and than a random matrix of the same singular values is to its own solution"
)
MOST = Limit(0.5, "share of instances, measured and nearer than each control > {}", "beyond doubt more than half")
CLAIMS = Claims(group="beyond")


def own_solution(parametrisation, tables, asked, most):
    """The largest of the median distances of real tokens, and what should be farther."""
    table, ends, parts = last(tables.own(parametrisation=parametrisation)), [], {}
    for tokens, name in REAL.items():
        rows = some(where(table, tokens=tokens), MISSING.format(tokens))
        names = ("distance", "measured", *(f"nearer_than_{control}" for control in CONTROLS))
        at, share, *nearer = (estimate(single(only(rows, quantity=quantity))) for quantity in names)
        ends.append(at)
        parts[f"{name}: median {at.value:.2g}, its interval within the threshold"] = asked(at)
        parts[f"{name}: saturated and certified in most runs ({share.value:.2f})"] = most(share)
        for words, one_nearer in zip(CONTROLS.values(), nearer, strict=True):
            parts[f"{name}: nearer than {words} in most instances ({one_nearer.value:.2f})"] = most(one_nearer)
    return Reading(*largest(ends), parts)


CLAIMS.add(
    key="real_W",
    short="digits, $W$: Frobenius",
    statement="On tokens of handwritten digits, W goes to the solution of least Frobenius norm of what it selects: "
    "with a random head, with the digits' labels, and with a token of the image as query.",
    check=CHECK,
    measured="median of 1 − correlation with the Frobenius solution",
    asked=Limit(1e-3, "≤ {}", "an angle of 2.6°, as asked of W on Gaussian tokens"),
    most=MOST,
    read=partial(own_solution, "W"),
)

CLAIMS.add(
    key="real_KQ",
    short="digits, $(K, Q)$: nuclear",
    statement="On tokens of handwritten digits, (K, Q), with one norm for both gradients, goes to the solution of "
    "least nuclear norm of what it selects: with a random head, with the digits' labels, with a token as query.",
    check=CHECK,
    measured="median of 1 − correlation with the nuclear solution",
    asked=Limit(
        1e-2, "≤ {}", "an angle of 8°: (K, Q) is behind W on Gaussian tokens too, and needs about ten times the steps"
    ),
    most=MOST,
    read=partial(own_solution, "KQ"),
)


@CLAIMS.add(
    short="real tokens are not slower",
    statement="After as many steps, real tokens are not much farther from their solution than Gaussian ones.",
    check="ratio of the median distances, digits by Gaussian, largest over W and (K, Q) and three settings",
    measured="ratio of the median distances, digits by Gaussian",
    asked=Limit(
        10.0,
        "< {}",
        "less than an order of magnitude; a distance that falls with the steps makes up for it by more of them",
    ),
)
def real_as_gaussian(tables, asked):
    """How much farther real tokens are than Gaussian ones after the same number of steps: the largest ratio."""
    ratios, counts = {}, []
    for parametrisation in ("W", "KQ"):
        table = last(tables.own(parametrisation=parametrisation, quantity="distance"))
        reference, *ends = (one(table, MISSING.format(tokens), tokens=tokens) for tokens in ("gaussian", *REAL))
        for name, at in zip(REAL.values(), ends, strict=True):
            ratios[f"{parametrisation}, {name}"] = at["value"] / reference["value"]
            counts.append(at["instances"])
    parts = {f"{name}: {ratio:.2g} times as far": asked(ratio) for name, ratio in ratios.items()}
    return Reading(*exact(max(ratios.values()), min(counts)), parts)
