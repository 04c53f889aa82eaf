"""The stacks that are trained, by name."""

from attnsvm.training.stack import Stack

LONG = "depth 2"  # trained on, to `long_steps`
VARIANTS = {
    "no residual": Stack(layers=2, residual=False),
    "(K, Q)": Stack(layers=2, parametrisation="KQ"),
    "query per position": Stack(layers=2, attention="sequence"),
    "causal": Stack(layers=2, attention="causal", causal=True),
    "two heads": Stack(layers=2, heads=2),
    "own norms": Stack(layers=2, normalisation="separate"),
    "value matrices": Stack(layers=3),
}


def stacks(settings: dict) -> dict[str, Stack]:
    """Every stack by its name; the setting `depths` says how deep the plain ones are."""
    return {f"depth {depth}": Stack(layers=depth) for depth in settings["depths"]} | VARIANTS
