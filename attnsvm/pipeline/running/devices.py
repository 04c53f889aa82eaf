"""Whether the device that a configuration names is there."""

from collections.abc import Callable

from attnsvm.errors import UserError


def require_for(experiment: str, resolved: dict, here: bool | None, warn: Callable[[str], object]) -> None:
    """Refuse to train an experiment where its device is not.

    Args:
        resolved: the whole configuration.
        here: whether the jobs run on this machine; None if that is not known, and then a missing device is warned of.
        warn: is given the warning.

    Raises:
        UserError: there is no such device, and the jobs run here.
    """
    lacking = missing(resolved["experiments"][experiment].get("descent", {}).get("device", "cpu"))
    sentence = f"config: experiments.{experiment}.descent.device: {lacking}"
    if lacking and here:
        raise UserError(sentence)
    if lacking and here is None:
        warn(f"{sentence} (jobs on other machines may have one)")


def missing(device: str) -> str:
    """A sentence if torch cannot compute on the device, "" if it can; for the processor torch is not asked."""
    if device == "cpu":
        return ""
    import torch

    _, _, index = device.partition(":")
    if not torch.backends.cuda.is_built():
        return f"{device!r}: the installed torch computes on processors only; install one with CUDA, or write cpu"
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if not count:
        return f"{device!r}: there is no GPU here; write cpu"
    if index and int(index) >= count:
        return f"{device!r}: GPUs are numbered from 0 to {count - 1} here"
    return ""
