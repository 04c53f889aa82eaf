"""The oldest Snakemake that is declared and the newest 9: all is planned and listed, a figure is built, and once.

`make test-snakemake`, a part of CI; each is installed, from the index that pip is set to, before everything else that
this environment has.
"""

import os
import re
import subprocess
import sys
import sysconfig

import pytest
from harness import BUILT, NOTHING, ROOT, copy_repository, finished

DECLARED = re.search(r'"snakemake>=([\d.]+),<10"', (ROOT / "pyproject.toml").read_text())[1]
FIGURE = ("figures/hyperplanes", "--cores", "2", "--config", "scale=smoke")


def test_the_declared_versions_are_the_same_everywhere():
    assert f'min_version("{DECLARED}")' in (ROOT / "Snakefile").read_text()
    locked = re.search(r"^snakemake==(\S+)", (ROOT / "requirements.lock").read_text(), re.MULTILINE)[1]
    assert [*map(int, DECLARED.split("."))] <= [*map(int, locked.split("."))] < [10]


@pytest.mark.slow
@pytest.mark.parametrize("wanted", [f"=={DECLARED}.0", "<10"])
def test_it_plans_and_lists_everything_and_builds_a_figure_once(wanted, tmp_path):
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    python = tmp_path / "venv/bin/python"
    where = [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    own = subprocess.check_output(where, text=True).strip()
    with open(f"{own}/ours.pth", "w") as file:  # all other packages, behind its own
        file.write(f"{sysconfig.get_path('purelib')}\n")
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--upgrade", f"snakemake{wanted}"], check=True)
    folder = copy_repository(tmp_path / "clone")
    environment = os.environ | {"PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(folder)}

    def run(*arguments):
        done = finished(folder, arguments, environment, str(python))
        assert done.returncode == 0, done.stdout
        return done.stdout

    version = run("--version").strip()
    assert version == wanted.removeprefix("==") or wanted == "<10"
    assert re.search(r"^figures/hyperplanes \(.+\)$", run("--list"), re.MULTILINE)
    assert "Job stats" in run("figures/all", "audit", "-n")
    assert "steps (100%) done" in run(*FIGURE)
    assert (folder / f"{BUILT}/figures/hyperplanes.png").exists()
    assert NOTHING in run(*FIGURE)
    data = folder / f"{BUILT}/results/hyperplanes/measures.parquet"
    content = data.read_bytes()
    data.write_bytes(bytes(len(content)))
    assert "damaged" in run(*FIGURE)
    assert data.read_bytes() == content
