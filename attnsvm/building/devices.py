"""Whether the device that a configuration names is there."""


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
