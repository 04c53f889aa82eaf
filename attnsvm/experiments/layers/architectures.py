"""The stacks that are trained, by name."""

from attnsvm.architecture import Stack

DEPTH = "depth "
NO_RESIDUAL, VALUES, FACTORS = "no residual", "value matrices", "(K, Q)"
VARIANTS = {
    NO_RESIDUAL: Stack(layers=2, residual=False),
    FACTORS: Stack(layers=2, parametrisation="KQ"),
    "query per position": Stack(layers=2, attention="sequence"),
    "causal": Stack(layers=2, attention="causal", causal=True),
    "two heads": Stack(layers=2, heads=2),
    "own norms": Stack(layers=2, normalisation="separate"),
    VALUES: Stack(layers=3),
}


def plain(depth: int) -> str:
    """The name of the plain stack of `depth` layers: one head, a residual, W trained by one norm."""
    return f"{DEPTH}{depth}"


def stack_of(name: str) -> Stack:
    """The stack of that name."""
    return VARIANTS[name] if name in VARIANTS else Stack(layers=int(name.removeprefix(DEPTH)))
