"""What torch's wheel brings along for CUDA is locked, and installed only where torch asks for it."""

from importlib.metadata import requires

from harness import ROOT
from packaging.requirements import Requirement


def locked(name):
    lines = (line for line in (ROOT / name).read_text().splitlines() if line and not line.startswith("#"))
    return dict(line.split("==") for line in lines)


CUDA = locked("requirements-cuda.lock")


def test_none_of_them_is_installed_by_the_lock_itself():
    """It is a file of constraints: on a machine where torch has no CUDA nothing of it is fetched."""
    assert not set(CUDA) & set(locked("requirements.lock"))
    assert "-r requirements.lock -c requirements-cuda.lock" in (ROOT / "Makefile").read_text()


def test_what_the_installed_torch_asks_for_beyond_the_lock_is_in_it():
    """With a torch without CUDA this asks for nothing."""
    plain = {name.lower().replace("_", "-") for name in locked("requirements.lock")}
    for wanted in map(Requirement, requires("torch")):
        if wanted.marker is None or wanted.marker.evaluate({"extra": ""}):
            name = wanted.name.lower().replace("_", "-")
            assert name in plain or CUDA[name] in wanted.specifier


def test_the_versions_are_those_that_the_wheel_of_pypi_asks_for():
    """From its metadata: of those that torch itself pins."""
    assert locked("requirements.lock")["torch"] == "2.13.0", (
        "look again: which CUDA packages does the new wheel ask for?"
    )
    pinned = {
        "cuda-toolkit": "13.0.3.0",
        "nvidia-cudnn-cu13": "9.20.0.48",
        "nvidia-cusparselt-cu13": "0.8.1",
        "nvidia-nccl-cu13": "2.29.7",
        "nvidia-nvshmem-cu13": "3.4.5",
        "triton": "3.7.1",
    }
    assert pinned.items() <= CUDA.items()
