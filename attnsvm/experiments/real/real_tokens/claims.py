"""Real tokens go where Gaussian ones go, nearer than any control, and not much later."""

from attnsvm.audit.conditions import LAST, number
from attnsvm.audit.reading import Claims

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
CHECK = (
    "median of 1 − correlation after the last step with its 95 % interval, the largest of three settings; controls: "
    "share of instances, with Wilson interval, in which it is nearer than to the other norm's solution, than to the "
    "solution of another head's selection, and than a random matrix of the same singular values is to its own solution"
)
MOST = "share of instances, measured and nearer than each control > 0.5", "beyond doubt more than half"
CLAIMS = Claims(group="beyond")

end = number(step=LAST, missing="saturated and certified run of {tokens}")
distance = end(tokens=tuple(REAL), quantity="distance")


def controls(parametrisation):
    """Whether most runs could be measured, and most instances are farther from what should be farther."""
    real = end(tokens=tuple(REAL), parametrisation=parametrisation)
    words = {"measured": "saturated and certified in most runs ({value:.2f})"} | {
        f"nearer_than_{control}": f"nearer than {name} in most instances ({{value:.2f}})"
        for control, name in CONTROLS.items()
    }
    return [real(quantity=name).must(*MOST, f"{{tokens}}: {said}", names=REAL) for name, said in words.items()]


NEAR = "{tokens}: median {value:.2g}, its interval within the threshold"
CLAIMS.declare(
    "real_W",
    distance(parametrisation="W").must(
        "≤ 0.001", "an angle of 2.6°, as asked of W on Gaussian tokens", NEAR, names=REAL
    ),
    *controls("W"),
    short="digits, $W$: Frobenius",
    statement="On tokens of handwritten digits, W goes to the solution of least Frobenius norm of what it selects: "
    "with a random head, with the digits' labels, and with a token of the image as query.",
    check=CHECK,
    measured="median of 1 − correlation with the Frobenius solution",
)

CLAIMS.declare(
    "real_KQ",
    distance(parametrisation="KQ").must(
        "≤ 0.01",
        "an angle of 8°: (K, Q) is behind W on Gaussian tokens too, and needs about ten times the steps",
        NEAR,
        names=REAL,
    ),
    *controls("KQ"),
    short="digits, $(K, Q)$: nuclear",
    statement="On tokens of handwritten digits, (K, Q), with one norm for both gradients, goes to the solution of "
    "least nuclear norm of what it selects: with a random head, with the digits' labels, with a token as query.",
    check=CHECK,
    measured="median of 1 − correlation with the nuclear solution",
)

median = end(parametrisation=("W", "KQ"), tokens=tuple(REAL), quantity="distance").without_interval()
CLAIMS.declare(
    "real_as_gaussian",
    (median / median(tokens=("gaussian",) * len(REAL))).must(  # one for each of the settings
        "< 10",
        "less than an order of magnitude; a distance that falls with the steps makes up for it by more of them",
        "{parametrisation}, {tokens}: {value:.2g} times as far",
        names=REAL,
    ),
    short="real tokens are not slower",
    statement="After as many steps, real tokens are not much farther from their solution than Gaussian ones.",
    check="ratio of the median distances, digits by Gaussian, largest over W and (K, Q) and three settings",
    measured="ratio of the median distances, digits by Gaussian",
)
