"""The stacks that are trained, by name."""

from dataclasses import replace

from attnsvm.data.architecture import Stack
from attnsvm.data.problems import Problems

DEPTH = "depth "
NO_RESIDUAL, VALUES, FACTORS, OWN_NORMS = "no residual", "value matrices", "(K, Q)", "own norms"
PLANTED = "planted"  # two layers that start near a solution
VARIANTS = {
    NO_RESIDUAL: Stack(layers=2, residual=False),
    FACTORS: Stack(layers=2, parametrisation="KQ"),
    "query per position": Stack(layers=2, attention="sequence"),
    "causal": Stack(layers=2, attention="causal", causal=True),
    "two heads": Stack(layers=2, heads=2),
    OWN_NORMS: Stack(layers=2, normalisation="separate"),
    VALUES: Stack(layers=3),
}
# How many times as long the steps of the layer below are as those of the top.
RATES = {OWN_NORMS: 1} | {f"{OWN_NORMS}, {rate}:1": rate for rate in (3, 6)}


def plain(depth: int) -> str:
    """The name of the plain stack of `depth` layers: one head, a residual, W trained by one norm."""
    return f"{DEPTH}{depth}"


def stack_of(name: str) -> Stack:
    """The stack of that name."""
    name = OWN_NORMS if name in RATES else name
    return VARIANTS[name] if name in VARIANTS else Stack(layers=int(name.removeprefix(DEPTH)))


def trained_on(name: str, problems: Problems) -> Problems:
    """The problems that a stack sees: the queries of the top are shorter where the layer below takes longer steps.

    The top with the query z/r and steps of length η is the top with the query z, the weights W/r and steps η/r.
    """
    return replace(problems, queries=problems.queries / RATES.get(name, 1))
