"""What numbers are made with: the same instructions on every x86-64-v3 processor, or all that this one has; or a GPU.

BLAS, NumPy, the compiled loops and PyTorch each look at the processor when they are loaded, and take other code for
another one: it adds in another order, and a training of many steps carries the last digit on. Variables of the
environment tell each of them to take the code for x86-64-v3 (AVX2 and FMA; Haswell of 2013, Zen of 2017, and later).
They must be set before the libraries are loaded: the workflow sets them for the jobs that it starts.
"""

import os
import platform
from pathlib import Path

from attnsvm.system.errors import require

V3 = {"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe"}  # as Linux calls them
# NumPy up to 2.3 has names for single features, later ones for levels; a name that it does not know it passes over.
BEYOND_V3 = "X86_V4 AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR"
PORTABLE = {
    "OPENBLAS_CORETYPE": "Haswell",  # of NumPy, SciPy and SCS
    "NPY_DISABLE_CPU_FEATURES": BEYOND_V3,  # exp, log, pow and their like
    "NUMBA_CPU_NAME": "x86-64-v3",
    "MKL_CBWR": "COMPATIBLE",  # of PyTorch; on other makers' processors the one branch that MKL promises
    "ATEN_CPU_CAPABILITY": "avx2",
    "ONEDNN_MAX_CPU_ISA": "AVX2",
}


def choose(arithmetic: str, cpuinfo: Path = Path("/proc/cpuinfo")) -> bool:
    """Set the variables for the processes that this one starts; returns whether they have portable arithmetic.

    Args:
        arithmetic: "portable" or "native"; the latter leaves everything as it is.
        cpuinfo: what Linux says of the processor. A processor without x86-64-v3, or another system, is left as it is.
    """
    if arithmetic != "portable" or not supported(cpuinfo):
        return False
    os.environ.update(PORTABLE)
    return True


def supported(cpuinfo: Path = Path("/proc/cpuinfo")) -> bool:
    """Whether this processor can run x86-64-v3."""
    try:
        lines = cpuinfo.read_text().splitlines()
    except OSError:
        return False
    flags = next((line.partition(":")[2].split() for line in lines if line.startswith("flags")), [])
    return platform.machine() == "x86_64" and {*flags} >= V3


def require_device(experiment: str, settings: dict) -> None:
    """Refuse to train an experiment where its device is not.

    Args:
        settings: of its descent.

    Raises:
        UserError: there is no such device.
    """
    lacking = lacking_device(settings.get("device", "cpu"))
    require(not lacking, f"config: experiments.{experiment}.descent.device: {lacking}")


def lacking_device(device: str) -> str:
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
