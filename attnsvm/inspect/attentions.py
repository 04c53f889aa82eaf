"""The attentions of a model, found by the names of their parts."""

from typing import Any

from attnsvm.inspect.attention import AddedAttention, Attention, LiftedAttention
from attnsvm.inspect.disentangled import DisentangledAttention
from attnsvm.inspect.families import ADDED, DISENTANGLED, LATENT, LAYOUTS
from attnsvm.inspect.latent import LatentAttention
from attnsvm.inspect.positions import distance


def attentions(model, kind: str, causal: bool) -> list[Attention]:
    """Those of every layer, in their order; none where the model does not look as its kind does."""
    family, found = LAYOUTS.get(kind), modules(model, kind, causal)
    if family is None:
        return [Attention(name, module, causal) for name, module in found]
    if kind in ADDED:
        added, heads = distance.of(model, kind), model.config.num_attention_heads
        return [AddedAttention(name, module, family, heads, added) for name, module in found]
    if kind in DISENTANGLED:
        return [DisentangledAttention(name, module, model, family) for name, module in found]
    made = LatentAttention if kind in LATENT else LiftedAttention
    return [made(name, module, number, model, family) for number, (name, module) in enumerate(found)]


def modules(model, kind: str, causal: bool) -> list[tuple[str, Any]]:
    """Their names and modules, in the order in which they are applied."""
    family = LAYOUTS.get(kind)
    if family is not None:
        wanted = family.projections
    else:
        wanted = ("c_attn", "scaling") if causal else ("query", "key", "scaling")
    found = [
        (name, module)
        for name, module in model.named_modules()
        if all(hasattr(module, part) for part in wanted) and "cross" not in name
    ]
    if kind == "albert":  # a few layers, each applied several times
        depth = model.config.num_hidden_layers
        found = [found[layer * len(found) // depth] for layer in range(depth)]
    return found
