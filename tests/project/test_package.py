"""What `pip install .` gives: the wheel, its dependencies, its command, its types."""

import os
import re
import subprocess
import sys
import tomllib
import venv
import zipfile
from email.parser import Parser
from importlib.metadata import distribution
from pathlib import Path

import numpy as np
import pytest
from harness import ROOT, as_typed

from attnsvm import command
from attnsvm.pipeline.setup.deploy import carried

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
BASE = {"numba", "numpy", "python-flint", "scipy", "tqdm"}  # what `pip install attnsvm` brings


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel, built from a copy of what git knows, so that nothing left over from another build is in it."""
    from test_dockerfile import sources

    folder = tmp_path_factory.mktemp("wheel")
    for path in sources(ROOT):
        (folder / "source" / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / "source" / path).write_bytes((ROOT / path).read_bytes())
    # From the source distribution, so that whoever has that alone can build the same.
    made = "from setuptools import build_meta; print(build_meta.build_sdist('..'))"
    subprocess.run([sys.executable, "-c", made], check=True, capture_output=True, cwd=folder / "source")
    options = ["--quiet", "--no-deps", "--no-build-isolation", "--disable-pip-version-check"]
    command = [sys.executable, "-m", "pip", "wheel", *options, "-w", folder, next(folder.glob("*.tar.gz"))]
    subprocess.run(command, check=True, capture_output=True)
    return next(folder.glob("*.whl"))


def names(wheel):
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def metadata(wheel):
    with zipfile.ZipFile(wheel) as archive:
        name = next(name for name in archive.namelist() if name.endswith("/METADATA"))
        return Parser().parsestr(archive.read(name).decode())


def test_everything_in_the_package_is_in_the_wheel(wheel):
    kinds = {".py", ".yaml", ".j2", ".typed", ".html", ".css", ".js", ".txt", ".typ", ".xz"}
    here = {str(path.relative_to(ROOT)) for path in (ROOT / "attnsvm").rglob("*") if path.suffix in kinds}
    here.add("attnsvm/py.typed")
    here = {path for path in here if "__pycache__" not in path}
    assert here <= names(wheel)


def test_nothing_else_is_in_the_wheel(wheel):
    others = {name for name in names(wheel) if not name.startswith("attnsvm/")}
    shared = {name.partition("/data/share/attnsvm/")[2] for name in others}
    assert all(".dist-info/" in name or ".data/data/share/attnsvm/" in name for name in others)
    assert shared - {""} == set(carried()), "what `attnsvm deploy` copies is what it finds in a clone"


def test_twine_accepts_the_wheel(wheel):
    checked = subprocess.run(
        [sys.executable, "-m", "twine", "check", "--strict", wheel], capture_output=True, text=True
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_only_what_the_solver_needs_comes_unasked(wheel):
    wanted = metadata(wheel).get_all("Requires-Dist")
    assert {re.match(r"[\w-]+", line)[0] for line in wanted if "extra ==" not in line} == BASE
    extras = {"cluster", "cuda", "figures", "figures-all", "models", "norms", "publish", "test"}
    assert set(metadata(wheel).get_all("Provides-Extra")) == extras


def test_the_python_versions_agree(wheel):
    said = re.findall(r"Python :: (3\.\d+)$", "\n".join(PROJECT["classifiers"]), re.MULTILINE)
    assert said == ["3.11", "3.12", "3.13", "3.14"]
    assert PROJECT["requires-python"] == f">={said[0]}"
    tools = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]
    assert tools["ruff"]["target-version"] == "py311"
    matrix = re.search(r"python: \[(.*)\]", (ROOT / ".github/workflows/package.yml").read_text()).group(1)
    assert re.findall(r"3\.\d+", matrix) == said
    assert {*re.findall(r'python: "(.*)"', (ROOT / ".github/workflows/ci.yml").read_text())} == {*said}


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """A virtual environment with the wheel and its dependencies, and nothing else: linked from this environment."""
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder / "venv", with_pip=False)
    python = folder / "venv" / "bin" / "python"
    purelib = subprocess.check_output(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], text=True
    ).strip()
    for name in BASE | {"llvmlite"}:
        for file in {Path(path.parts[0]) for path in distribution(name).files if path.parts[0] not in ("..", "bin")}:
            os.symlink(distribution(name).locate_file(file), Path(purelib) / file)
    options = ["--quiet", "--no-deps", "--disable-pip-version-check"]
    subprocess.run(
        [sys.executable, "-m", "pip", "--python", python, "install", *options, wheel], check=True, capture_output=True
    )
    return folder


def run(folder, *arguments):
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        [folder / "venv" / "bin" / arguments[0], *arguments[1:]],
        cwd=folder, env=environment, capture_output=True, text=True,
    )  # fmt: skip


def test_the_readmes_solver_runs_with_its_dependencies_alone(installed):
    (example,) = re.findall(r"^```python\n(.*?)^```", (ROOT / "README.md").read_text(), re.DOTALL | re.MULTILINE)
    solved = run(installed, "python", "-c", example)
    assert solved.returncode == 0, solved.stderr
    assert solved.stdout.startswith("solved: ")


def test_the_solver_at_size_runs_with_its_dependencies_alone(installed):
    text = "import numpy as np; from attnsvm import AttentionSVM; rng = np.random.default_rng(0); "
    text += "x, z = rng.normal(size=(40, 11, 30)), rng.normal(size=(40, 30)); "
    text += "svm = AttentionSVM().fit(x, z, [0] * 40); print(svm.status_, svm.method_)"
    assert run(installed, "python", "-c", text).stdout == "solved augmented Lagrangian\n"


def test_what_is_missing_is_said_with_the_extra_that_brings_it(installed):
    (installed / "model").mkdir(exist_ok=True)
    text = "import numpy as np; from attnsvm import AttentionSVM; x = np.eye(4)[None]; "
    text += "AttentionSVM(norm='l1').fit(x, x[:, 0], [0])"
    asked = {("python", "-c", text): ("cvxpy", "norms"), ("attnsvm", "inspect", "model"): ("pandas", "models")}
    for arguments, (module, extra) in {**asked, ("attnsvm", "experiment", "x"): ("snakemake", "figures")}.items():
        ended = run(installed, *arguments)
        cure = f"{module} is not installed: pip install 'FOLDER_OF_ATTNSVM[{extra}]'\n"
        assert (ended.returncode, ended.stderr.endswith(f": {cure}")) == (1, True)


def test_the_command_verifies_without_the_pipeline(installed):
    (installed / "files").mkdir(exist_ok=True)
    (installed / "files" / "x.csv").write_text("1\n")
    (installed / "files" / ".x.csv.sha256").write_text("0  x.csv\n")
    ended = run(installed, "attnsvm", "verify", "files")
    assert (ended.returncode, ended.stderr) == (1, "")
    assert ended.stdout.startswith("files/x.csv: damaged")
    ended = run(installed, "attnsvm", "verify", "nothing-here")
    assert (ended.returncode, ended.stdout.splitlines()[0]) == (1, "nothing-here: there is no such file or folder")


def test_the_command_solves_and_verifies_the_answer_with_its_dependencies_alone(installed):
    rng = np.random.default_rng(0)
    tokens, queries = rng.normal(size=(5, 4, 3)), rng.normal(size=(5, 3))
    np.savez(installed / "tokens.npz", tokens=tokens, queries=queries, selected=np.zeros(5, dtype=int))
    ended = run(installed, "attnsvm", "solve", "tokens.npz", "--norm", "nuc")
    assert (ended.returncode, ended.stdout[-11:]) == (0, ": verified\n"), ended.stderr
    verified = f"{ended.stdout}0 files compared, 1 answer file judged: nothing wrong.\n"
    assert run(installed, "attnsvm", "verify", "answer.npz").stdout == verified


def test_the_command_deploys_a_folder_that_needs_no_clone(installed):
    ended = run(installed, "attnsvm", "deploy", "copy")
    assert (ended.returncode, ended.stderr) == (0, "")
    copy = installed / "copy"
    here = {str(path.relative_to(copy)): path.read_bytes() for path in copy.rglob("*") if path.is_file()}
    assert here == {name: path.read_bytes() for name, path in carried().items()}
    again = run(installed, "attnsvm", "deploy", "copy")
    assert (again.returncode, again.stderr) == (
        1, "error: copy is not empty; choose another place\n",
    )  # fmt: skip
    # With the package that is installed there, and the libraries of this environment, which has the pipeline's.
    purelib = next((installed / "venv" / "lib").glob("python*/site-packages"))
    (purelib / "others.pth").write_text("\n".join(path for path in sys.path if path.endswith("site-packages")))
    target = "smoke/results/feasibility/seeds-0-2/problems.npz"
    python = installed / "venv" / "bin" / "python"
    built = as_typed(copy, target, "--cores", "1", "--config", "scale=smoke", python=python)
    assert built.returncode == 0, built.stdout
    assert (copy / target).is_file()
    assert str(purelib) in run(installed, "python", "-c", "import attnsvm; print(attnsvm.__file__)").stdout


@pytest.mark.parametrize("arguments", [[], ["unknown"], ["experiment"]])
def test_a_wrong_command_says_how_to_call_it(arguments, capsys):
    with pytest.raises(SystemExit, match="2"):
        command.main(arguments)
    assert "usage: attnsvm" in capsys.readouterr().err


@pytest.mark.parametrize("error", [ImportError("NumPy is too new"), ModuleNotFoundError("", name="attnsvm.nowhere")])
def test_what_a_missing_package_does_not_explain_is_not_called_one(monkeypatch, error):
    """A library that refuses its version, a mistake of ours: their own words."""

    def fails(given):
        raise error

    monkeypatch.setattr(command, "_deploy", fails)
    with pytest.raises(type(error)):
        command.main(["deploy", "anywhere"])


def test_a_type_checker_sees_the_types_of_the_public_face():
    """Those inside the rooms: `make lint`."""
    command = [sys.executable, "-m", "mypy", "tests/project/public_face.py"]
    checked = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout
