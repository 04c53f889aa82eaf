"""The attentions of a model, found by the names of their parts."""

from typing import Any

from attnsvm.inspect.attention import AddedAttention, Attention, LiftedAttention
from attnsvm.inspect.disentangled import DisentangledAttention
from attnsvm.inspect.families import ADDED, DISENTANGLED, LATENT, LAYOUTS, PLAIN
from attnsvm.inspect.latent import LatentAttention
from attnsvm.inspect.positions import distance


def attentions(model, kind: str) -> list[Attention]:
    """Those of every layer, in their order; none where the model does not look as its kind does."""
    family, found, heads = (PLAIN | LAYOUTS)[kind], modules(model, kind), model.config.num_attention_heads
    if kind in PLAIN:
        return [Attention(name, module, family, heads) for name, module in found]
    if kind in ADDED:
        added = distance.of(model, kind)
        return [AddedAttention(name, module, family, heads, added) for name, module in found]
    if kind in DISENTANGLED:
        return [DisentangledAttention(name, module, model, family) for name, module in found]
    made = LatentAttention if kind in LATENT else LiftedAttention
    return [made(name, module, number, model, family) for number, (name, module) in enumerate(found)]


def modules(model, kind: str) -> list[tuple[str, Any]]:
    """Their names and modules, in the order in which they are applied."""
    wanted = (PLAIN | LAYOUTS)[kind].projections
    found = [
        (name, module)
        for name, module in model.named_modules()
        if all(hasattr(module, part) for part in wanted) and "cross" not in name
    ]
    if kind == "albert":  # a few layers, each applied several times
        depth = model.config.num_hidden_layers
        found = [found[layer * len(found) // depth] for layer in range(depth)]
    return found
