"""The lock, pyproject.toml and environment.yml describe one environment."""

import re
import tomllib
from importlib.metadata import metadata
from pathlib import Path

import yaml
from packaging.specifiers import SpecifierSet

ROOT = Path(__file__).resolve().parents[2]
CONDA_NAMES = {"pytorch": "torch", "matplotlib-base": "matplotlib", "typst-py": "typst"}


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def locked():
    lines = (ROOT / "requirements.lock").read_text().splitlines()
    pairs = [line.split("==") for line in lines if line and not line.startswith("#")]
    return {normal(name): version for name, version in pairs}


def direct():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = project["dependencies"] + [n for extra in project["optional-dependencies"].values() for n in extra]
    return {normal(re.match(r"[\w.-]+", line).group()) for line in wanted}


def conda():
    lines = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    pairs = [line.split("=") for line in lines if isinstance(line, str) and re.search(r"\w=\w", line)]
    return {normal(CONDA_NAMES.get(name, name)): version for name, version in pairs}


def test_every_locked_package_installs_on_the_oldest_python_that_is_promised():
    """As one did not: found where Debian's Python 3.11.2 was first on the path."""
    promised = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["requires-python"]
    oldest = f"{promised.removeprefix('>=')}.0"
    asked = {name: metadata(name)["Requires-Python"] for name in locked()}
    assert {name: text for name, text in asked.items() if text and oldest not in SpecifierSet(text)} == {}


def test_every_direct_dependency_is_locked():
    assert direct() <= set(locked())


def test_conda_environment_has_the_direct_dependencies_at_the_locked_versions():
    lock = locked()
    assert conda() == {name: lock[name] for name in direct()}


def test_versions_are_exact_and_without_local_suffix():
    assert all(re.fullmatch(r"[0-9][\w.]*", version) for version in locked().values())


def test_everything_installed_here_for_the_package_is_locked():
    """The lock is complete: following requirements from the direct ones never leaves it."""
    from importlib.metadata import PackageNotFoundError, distribution

    from packaging.requirements import Requirement

    lock, todo, seen = locked(), list(direct()), set()
    while todo:
        name = todo.pop()
        if name in seen:
            continue
        seen.add(name)
        try:
            requirements = distribution(name).requires or []
        except PackageNotFoundError:
            continue  # wanted on other platforms only
        for requirement in map(Requirement, requirements):
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                assert normal(requirement.name) in lock, f"{name} needs {requirement.name}, which is not locked"
                todo.append(normal(requirement.name))
