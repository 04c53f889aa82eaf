"""The recipe of the container: read and linted without Docker; its steps run in a fresh environment."""

import json
import os
import re
import shutil
import subprocess
import tomllib
import venv

import pytest
from harness import ROOT


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
    python = re.fullmatch(r"python:(3\.\d+)-slim-trixie", base).group(1)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert f"Programming Language :: Python :: {python}" in project["classifiers"]


def test_what_it_copies_is_here():
    for argument in given("COPY"):
        for source in argument.split()[:-1]:
            assert (ROOT / source).exists()


def test_nothing_that_was_built_goes_into_it():
    """What git does not know must not be copied into an image: results, environments, caches."""
    ignored = set((ROOT / ".dockerignore").read_text().split())
    for line in (ROOT / ".gitignore").read_text().split():
        name = line.strip("/")
        assert {name, f"**/{name}"} & ignored or name in ("docs/*.pdf", "slurm-*.out"), name


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
            command = argument.replace('--index-url "$TORCH_INDEX"', "")
            subprocess.run(command, shell=True, cwd=folder, env=variables, check=True)
    (program, *_), target = json.loads(given("CMD")[-1]), "figures/trajectories"
    command = [program, target, "--config", "scale=smoke", "--cores", "2"]
    subprocess.run(command, cwd=folder, env=variables, check=True)
    assert (folder / "smoke/figures/trajectories.png").exists()
