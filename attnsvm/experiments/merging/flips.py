"""What the claims must notice: a made-up table on which they hold, and changes of it."""

from attnsvm.audit.flips import Empty, Flip

VALUES = {"merged": (0.86, 0.68), "merged unit": (1.22, 0.68), "half": (1.22, 0.6)}


def table():
    return [
        {"variant": variant, "seed": seed, "margin": margin * (1 + 0.001 * seed), "same": same + 0.001 * (seed % 7)}
        for variant, (margin, same) in VALUES.items()
        for seed in range(64)
    ]


FLIPS = {
    "merged_margin_length": Flip("variant == 'merged unit'", "margin", 2.0),
    "merged_tokens_more": Flip("variant == 'half'", "same", 0.7),
}
EMPTY = {key: [Empty("seed < 0", "instance with certified solutions")] for key in FLIPS}
