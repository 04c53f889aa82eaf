"""Where nothing is installed but Snakemake: a workflow is listed, linted and planned, with conda or without."""

import os
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, distribution, packages_distributions
from pathlib import Path

import pytest
from harness import ROOT, copy_repository
from packaging.requirements import Requirement

# Snakemake in this process, with what it brings and the standard library: nothing else can be imported.
PROGRAM = """
import pkgutil, sys

allowed = {*sys.argv.pop(1).split(","), *sys.stdlib_module_names, "attnsvm", "snakemake"}


class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] not in allowed:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


every = pkgutil.iter_modules  # how Snakemake looks for its plugins
pkgutil.iter_modules = lambda *given: (one for one in every(*given) if one.name in allowed)
sys.meta_path.insert(0, Missing())
from snakemake.cli import main

main(sys.argv[1:])
"""
SNAKEMAKE = "snakemake"
CONDA = """#!/bin/sh
case "$*" in
*info*) echo '{"conda_prefix": "/no", "root_prefix": "/no", "platform": "linux-64", "conda_version": "25.1.0"}' ;;
*config*) echo '{"get": {"channel_priority": "strict"}}' ;;
--version) echo conda 25.1.0 ;;
esac
"""
ASKED = (
    ["--lint"],
    ["--list"],
    ["-n", "figures/all", "audit"],
    ["-n", "paper", "site"],
    ["-n", "figures/cone", "--config", "experiments={cone: {problems: {d: 12, instances: 30}}}"],
)


def brought():
    """The names that can be imported where Snakemake alone is installed."""
    todo, seen = [SNAKEMAKE], set()
    while todo:
        name = todo.pop().lower().replace("_", "-")
        if name in seen:
            continue
        try:
            wanted = distribution(name).requires or []
        except PackageNotFoundError:  # for another system
            continue
        seen.add(name)
        needed = map(Requirement, wanted)
        todo += [one.name for one in needed if one.marker is None or one.marker.evaluate({"extra": ""})]
    return {
        module
        for module, names in packages_distributions().items()
        if {name.lower().replace("_", "-") for name in names} & seen
    }


def run(command, folder, asked, tmp_path):
    """Snakemake in a clone whose memory of earlier runs is empty."""
    conda = tmp_path / "bin/conda"
    conda.parent.mkdir(exist_ok=True)
    conda.write_text(CONDA)
    conda.chmod(0o755)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment["PATH"] = os.pathsep.join([str(conda.parent), str(Path(sys.executable).parent), environment["PATH"]])
    run = subprocess.run([*command, *asked], cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, f"{asked}: {run.stdout}{run.stderr}"
    return run.stdout + run.stderr


@pytest.mark.parametrize("asked", [*ASKED, ["figures/paper", "-n", "--sdm", "conda"]], ids=" ".join)
def test_what_snakemake_brings_is_enough_to_plan(asked, tmp_path):
    modules = brought()
    assert {"yaml", "jinja2", "jsonschema"} <= modules
    assert not modules & {"numpy", "pandas", "PIL", "matplotlib", "torch", "scipy", "numba"}
    folder = copy_repository(tmp_path / "fresh")
    said = run([sys.executable, "-c", PROGRAM, ",".join(sorted(modules))], folder, asked, tmp_path)
    assert "Job stats" in said or "-n" not in asked


@pytest.mark.slow
def test_a_fresh_environment_of_snakemake_alone_is_enough_to_plan(tmp_path):
    """From the index that pip is set to."""
    text = (ROOT / "requirements.lock").read_text()
    locked = next(one for one in text.splitlines() if one.startswith("snakemake==")).split()[0]
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    subprocess.run([tmp_path / "venv/bin/python", "-m", "pip", "install", "--quiet", locked], check=True)
    folder = copy_repository(tmp_path / "fresh")
    for asked in (*ASKED, ["figures/paper", "-n", "--sdm", "conda"]):
        run([tmp_path / "venv/bin/snakemake"], folder, asked, tmp_path)
