"""pyproject.toml, uv.lock, the lists that pip reads and the environments for conda describe the same packages."""

import re
import tomllib
from importlib.metadata import PackageNotFoundError, distribution

import pytest
import yaml
from harness import ROOT
from packaging.requirements import Requirement

from attnsvm.system import extras

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
LOCK = tomllib.loads((ROOT / "uv.lock").read_text())
LISTS = {"requirements.lock": ["figures-all"], "requirements-all.lock": [*PROJECT["optional-dependencies"]]}
CONDA = {"environment.yml": ["figures-all"], "environment-more.yml": ["figures-all", "cluster", "models", "publish"]}
CONDA_NAMES = {"pytorch": "torch", "matplotlib-base": "matplotlib", "typst-py": "typst"}
OF_CUDA = re.compile("torch|triton|cuda-.*|nvidia-.*")
MODULES = {"cvxpy": "cvxpy-base", "google": "protobuf", "sklearn": "scikit-learn", "yaml": "pyyaml"}


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def locked(name):
    """{package: version} of a list, where each has the hashes of its files."""
    text = (ROOT / name).read_text()
    found = re.findall(r"^([\w-]+)==(\S+)(?: ; .*?)? \\\n    --hash=sha256:\w{64}\b", text, re.MULTILINE)
    assert len(found) == len(re.findall(r"^\w", text, re.MULTILINE)) > 0
    return dict(found)


def direct(names):
    """What some extras, those that they name among them, and the package itself ask for."""
    wanted = list(PROJECT["dependencies"])
    for name in names:
        wanted += PROJECT["optional-dependencies"][name]
    asked = [Requirement(line) for line in wanted]
    inner = [one for requirement in asked if requirement.name == "attnsvm" for one in requirement.extras]
    return {normal(one.name) for one in asked} - {"attnsvm"} | (direct(inner) if inner else set())


def test_the_lock_is_that_of_the_project():
    (own,) = (one for one in LOCK["package"] if one["name"] == "attnsvm")
    said = {(one["name"], one.get("specifier", "")) for one in own["metadata"]["requires-dist"]}
    lines = [*PROJECT["dependencies"], *(line for one in PROJECT["optional-dependencies"].values() for line in one)]
    asked = {(normal(one.name), str(one.specifier)) for one in map(Requirement, lines)}
    order = {name: ",".join(sorted(specifier.split(","))) for name, specifier in said}
    assert order == {name: ",".join(sorted(specifier.split(","))) for name, specifier in asked}
    assert LOCK["requires-python"] == PROJECT["requires-python"]


@pytest.mark.parametrize("name", LISTS)
def test_a_list_has_what_its_extras_need_but_what_comes_with_torch(name):
    """And all that these need in turn, where they are installed here: pip asks for nothing else."""
    versions, cuda = locked(name), locked("requirements-cuda.lock")
    assert {(one["name"], one["version"]) for one in LOCK["package"]} >= {*versions.items(), *cuda.items()}
    assert all(map(OF_CUDA.fullmatch, cuda))
    assert not [*filter(OF_CUDA.fullmatch, versions)]
    todo, seen = direct(LISTS[name]), set()
    while todo - seen:
        seen.add(one := (todo - seen).pop())
        assert one in versions or one in cuda
        try:
            requirements = map(Requirement, distribution(one).requires or [])
        except PackageNotFoundError:
            continue  # wanted on other platforms only
        todo |= {normal(r.name) for r in requirements if r.marker is None or r.marker.evaluate({"extra": ""})}


@pytest.mark.parametrize("name", CONDA)
def test_a_conda_environment_has_what_its_jobs_need_at_the_locked_versions(name):
    lines = yaml.safe_load((ROOT / name).read_text())["dependencies"]
    pairs = [line.split("=") for line in lines if re.search(r"\w=\w", line)]
    versions = locked("requirements-all.lock") | locked("requirements-cuda.lock")
    wanted = {one: versions[one] for one in direct(CONDA[name])}
    assert {normal(CONDA_NAMES.get(one, one)): version for one, version in pairs} == wanted


def test_a_missing_module_is_said_with_the_extra_that_brings_it():
    before = set(PROJECT["dependencies"])
    for extra, modules in extras.EXTRAS.items():
        brought = {normal(MODULES.get(one, one)) for one in modules}
        assert brought <= direct([extra])
        assert not brought & before
        before |= direct([extra]) if extra != "models" else set()
