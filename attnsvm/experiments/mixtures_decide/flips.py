"""What the claims must notice: a made-up table on which they hold, and changes of it."""

from attnsvm.audit.flips import Empty, Flip


def table():
    """Half of the instances keep a mixture, and two of these stop at a distance."""
    return [
        {"seed": seed, "mixed": seed % 2 == 1, "corrected": 1e-5, "stated": 0.02 if seed in (1, 3) else 1e-5}
        for seed in range(64)
    ]


FLIPS = {"layers_mixture_decides": Flip("seed == 2", "stated", 0.01)}
EMPTY = {
    "layers_mixture_decides": [
        Empty("mixed == False", "instance with a mixture"),
        Empty("mixed == True", "instance without a mixture"),
    ]
}
