"""Every Python block of the documentation runs as pasted, and every relative link leads somewhere."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCKS = [
    pytest.param(block, id=f"{page.name}-{k}")
    for page in PAGES
    for k, block in enumerate(re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL))
]


@pytest.mark.parametrize("block", BLOCKS)
def test_a_python_block_runs_as_pasted(block, tmp_path):
    run = subprocess.run([sys.executable, "-c", block], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_relative_link_leads_somewhere(page):
    links = re.findall(r"\]\(([^)#:]+)\)", page.read_text())
    assert all((page.parent / link).exists() for link in links), links


def test_every_figure_is_documented_with_its_caption_and_its_picture():
    from attnsvm.plots import FIGURES

    pages = (ROOT / "docs/figures.md").read_text(), (ROOT / "README.md").read_text()
    for figure in FIGURES:
        assert f"`{figure}`" in pages[0]
        assert f"snakemake figures/{figure}`" in pages[1]
        assert (ROOT / f"workflow/report/{figure}.rst").exists()
        assert (ROOT / f"docs/gallery/{figure}.png").exists()
