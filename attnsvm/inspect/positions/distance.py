"""Terms of the logit that depend on distance alone: a token gets columns for its distance, and W stays one matrix.

The logit x̃ᵀ W z̃ + b(δ) is (x̃, c(δ))ᵀ W z̃ with more rows of W, which reach z̃ by its constant 1.
"""

from collections.abc import Callable

import numpy as np


class Slope:
    """b(δ) = −slope · δ: linear biases of attention (ALiBi). One column, δ.

    Attributes:
        rows: (heads, 1) what multiplies it.
    """

    def __init__(self, slopes: np.ndarray):
        self.rows = -slopes[:, None]

    def columns(self, distance: np.ndarray) -> np.ndarray:
        """(..., 1) for distances (...,)."""
        return distance[..., None].astype(float)


class Buckets:
    """b(δ) = one number for each bucket of distances. A column for each bucket.

    Attributes:
        rows: (heads, buckets).
    """

    def __init__(self, values: np.ndarray, bucket: Callable[[np.ndarray], np.ndarray]):
        self.rows, self.bucket = values.T, bucket

    def columns(self, distance: np.ndarray) -> np.ndarray:
        """(..., buckets) for distances (...,)."""
        return np.eye(self.rows.shape[1])[self.bucket(distance)]


def of(model, kind: str) -> Slope | Buckets:
    """What a model adds to its logits, from the model itself."""
    import torch

    if kind == "mpt":
        from transformers.models.mpt.modeling_mpt import build_mpt_alibi_tensor

        return Slope(build_mpt_alibi_tensor(model.config.num_attention_heads, 2)[:, 0].diff()[:, 0].double().numpy())
    if kind == "bloom":
        from transformers.models.bloom.modeling_bloom import build_alibi_tensor

        heads = model.config.num_attention_heads
        return Slope(build_alibi_tensor(torch.ones(1, 2), heads, torch.float64)[:, 0, 1].numpy())
    (found,) = (module for module in model.modules() if hasattr(module, "relative_attention_bias"))
    weight = found.relative_attention_bias.weight
    some = {"num_buckets": len(weight)}
    if kind != "mpnet":
        some["max_distance"] = found.relative_attention_max_distance
    make = found.relative_position_bucket if kind == "mpnet" else found._relative_position_bucket

    def bucket(distance):
        return make(torch.tensor(-distance.astype(int)), **some).numpy()

    return Buckets(weight.detach().double().numpy(), bucket)
