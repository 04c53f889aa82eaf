"""What the modules of a model hold, as arrays: rows of queries and keys, scales, norms."""

import numpy as np

from attnsvm.inspect.families import Family
from attnsvm.inspect.lifted import Norm

SIZES = ("head_dim", "head_size", "key_value_proj_dim", "attention_head_size")  # names of the rows of a head


def split(module, family: Family, heads: int, groups: int) -> tuple[np.ndarray, np.ndarray]:
    """The rows of queries (heads, r, D + 1) and of keys (groups, r, D + 1)."""
    rows = [rows_of(getattr(module, name)) for name in family.projections]
    size = next((getattr(module, name) for name in SIZES if hasattr(module, name)), 0)
    match family.fused:
        case "blocks":
            query, key, _ = np.split(rows[0], [heads * size, (heads + groups) * size])
        case "groups":
            parts = rows[0].reshape(groups, heads // groups + 2, size, -1)
            query, key = parts[:, :-2], parts[:, -2]
        case _:
            query, key = rows
    width = query.shape[-1]
    return query.reshape(heads, -1, width), key.reshape(groups, -1, width)


def scale_of(module, family: Family, size: int) -> float:
    return getattr(module, family.scale, size**-0.5) if family.scale else size**-0.5


def rows_of(linear) -> np.ndarray:
    """Weight and bias of a linear map as rows (out, in + 1); those of GPT-2 keep their weight transposed, as Conv1D."""
    weight = array_of(linear.weight).T if type(linear).__name__ == "Conv1D" else array_of(linear.weight)
    return np.column_stack([weight, np.zeros(len(weight)) if linear.bias is None else array_of(linear.bias)])


def norm_of(module) -> Norm:
    """What a norm of root mean square does, from the module itself: some keep their gain less one."""
    import torch

    epsilon = float(getattr(module, "variance_epsilon", None) or module.eps)
    with torch.no_grad():
        ones = module(torch.ones(module.weight.shape, dtype=torch.float64)).double().numpy()
    return Norm(ones * np.sqrt(1 + epsilon), epsilon)


def array_of(parameter) -> np.ndarray:
    return parameter.detach().numpy().astype(np.float64)
