"""Weights in a pickle of plain tensors, as older models have them. Nothing else that a pickle can hold is read."""

import pickle
from pathlib import Path

import torch

from attnsvm.errors import UserError, require

WEIGHTS = "pytorch_model.bin"


def tensors(folder: Path, prefix: str = "") -> dict[str, torch.Tensor]:
    """{name: tensor, in float64} of the weights in a folder whose names begin with a prefix, which is dropped.

    Raises:
        UserError: there are none, or they are not plain tensors.
    """
    path = folder / WEIGHTS
    require(path.is_file(), f"{folder}: there is no {WEIGHTS} in it")
    try:
        held = torch.load(path, map_location="cpu", weights_only=True)
    except (pickle.UnpicklingError, RuntimeError, EOFError) as error:
        raise UserError(f"{path}: is no pickle of plain tensors, so it is not read") from error
    plain = isinstance(held, dict) and all(isinstance(one, torch.Tensor) for one in held.values())
    require(plain, f"{path}: expected a dictionary of tensors")
    found = {name.removeprefix(prefix): one.double() for name, one in held.items() if name.startswith(prefix)}
    require(bool(found), f"{path}: no weights in it have names that begin with {prefix!r}")
    return found
