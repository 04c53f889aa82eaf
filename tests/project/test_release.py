"""One release and one address, wherever they are named; what a new user reads first is there."""

import json
import re
import shutil
import subprocess
import tomllib

import pytest
import yaml
from harness import ROOT

from attnsvm.pipeline import cards, targets
from attnsvm.pipeline.configuration import resolve
from attnsvm.pipeline.plan import Plan
from attnsvm.publish.paper.typesetting import author_name

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
OLD = PROJECT["urls"]["Repository"]
ADDRESSED = ("pyproject.toml", "CITATION.cff", "codemeta.json", "codecheck.yml")
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text())


def test_citation_changelog_and_package_agree_on_the_release():
    """What is not released has no date, in neither of the two."""
    heading = re.search(r"^## (\S+), (\S+)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert heading[1] == str(CITATION["version"]) == PROJECT["version"]
    released = str(CITATION.get("date-released", "unreleased"))
    assert heading[2] == released
    assert released == "unreleased" or re.fullmatch(r"\d{4}-\d\d-\d\d", released)


def test_codemeta_says_what_citation_and_package_say():
    found = json.loads((ROOT / "codemeta.json").read_text("utf-8"))
    paper, (said,) = CITATION["references"][0], found["referencePublication"]
    assert (found["name"], found["description"]) == (PROJECT["name"], PROJECT["description"])
    assert (found["version"], found["keywords"]) == (str(CITATION["version"]), PROJECT["keywords"])
    assert found["license"] == f"https://spdx.org/licenses/{CITATION['license']}"
    assert found["runtimePlatform"] == f"Python {PROJECT['requires-python']}"
    assert found["codeRepository"] == CITATION["repository-code"]
    assert found.get("datePublished", "") == str(CITATION.get("date-released", ""))
    assert (said["@id"], said["name"], said["datePublished"]) == (paper["url"], paper["title"], str(paper["year"]))
    for there, here in ((found["author"], CITATION["authors"]), (said["author"], paper["authors"])):
        assert [one["name"] for one in there] == [author_name(one) for one in here]


def test_codecheck_lists_what_make_figures_builds():
    found, paper = yaml.safe_load((ROOT / "codecheck.yml").read_text("utf-8")), CITATION["references"][0]
    assert found["version"] == "https://codecheck.org.uk/spec/config/1.0"
    assert (found["paper"]["title"], found["paper"]["reference"]) == (paper["title"], paper["url"])
    assert [one["name"] for one in found["paper"]["authors"]] == [author_name(one) for one in paper["authors"]]
    assert found["repository"] == CITATION["repository-code"]
    *figures, audit = found["manifest"]
    titles = {f"figures/{name}.csv": cards.read(name).title for name in targets.group("paper")}
    assert {one["file"]: one["comment"] for one in figures} == titles
    assert audit["file"] == "results/audit/paper.csv"
    assert {*titles, audit["file"]} <= {*Plan(resolve({}), {}).target("figures/paper")}


def test_the_repository_has_one_address():
    assert CITATION["repository-code"] == OLD
    naming = {
        str(path.relative_to(ROOT))
        for pattern in ("*.md", "*.toml", "*.cff", "*.json", "*.yml", "docs/*.md")
        for path in ROOT.glob(pattern)
        if OLD in path.read_text("utf-8")
    }
    assert naming == {*ADDRESSED}
    owner = OLD.split("/")[3]
    documents = "\n".join(path.read_text("utf-8") for path in (*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")))
    assert f"/{owner}/" not in documents, "where the documents need the address they say where it stands"


@pytest.fixture
def house(tmp_path):
    """A folder with the files that name the address, and what sets it."""
    for name in (*ADDRESSED, "Makefile"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def set_address(house, *arguments, remote=None):
    """Run make address, in a repository with this remote."""
    subprocess.run(["git", "init", "--quiet"], cwd=house, check=True)
    if remote is not None:
        subprocess.run(["git", "config", "remote.origin.url", remote], cwd=house, check=True)
    return subprocess.run(["make", "address", *arguments], cwd=house, capture_output=True, text=True, check=False)


REMOTES = (
    *("https://example.org/me/mine.git", "git@example.org:me/mine.git", "ssh://git@example.org/me/mine"),
    *(
        "ssh://git@example.org:2222/me/mine.git",
        "https://me:secret@example.org/me/mine.git",
        "git@example.org:/me/mine",
    ),
)


@pytest.mark.parametrize("remote", REMOTES)
def test_the_address_is_that_of_gits_remote(house, remote):
    run = set_address(house, remote=remote)
    assert run.returncode == 0, run.stderr
    for name in ADDRESSED:
        assert (house / name).read_text() == (ROOT / name).read_text().replace(OLD, "https://example.org/me/mine")
    assert not list(house.rglob("*.old"))


HOSTILE = (
    *("https://x/y|g;s/.*/touch pwned/e;#", "https://x/y&z", "https://x/y\nname = 'evil'", "https://x/$(touch pwned)"),
    *("https://x/`touch pwned`", 'https://x/"; touch pwned; "', "https://x/$(shell touch pwned)", "ext::touch pwned"),
    *("/srv/git/mine.git", "file:///srv/mine", "http://example.org/me/mine", "--help", "https://x"),
    *("https://x/\x1b[2J", "https://x/y'", "https://x/a b", "git@x:$(touch pwned)", "javascript:alert(1)"),
)


@pytest.mark.parametrize("url", HOSTILE)
def test_a_hostile_address_runs_nothing_and_spoils_nothing(house, url):
    before = {path: path.read_bytes() for path in house.rglob("*") if path.is_file()}
    for run in (set_address(house, f"URL={url}"), set_address(house, remote=url)):
        assert run.returncode != 0, run.stdout
        (line, *_) = run.stderr.splitlines()
        assert line.startswith("error: ")
        assert "say which: make address URL=https://" in line
        assert line.isprintable()
        assert {path: path.read_bytes() for path in before} == before
        assert not list(house.rglob("pwned"))


def test_the_address_is_set_by_one_command(house):
    assert "say which: make address URL=https://" in set_address(house).stderr
    assert set_address(house, "URL=https://example.org/me/attnsvm").returncode == 0
    assert OLD not in (house / "pyproject.toml").read_text()


def test_a_page_leads_from_the_paper_to_every_figure_and_claim_of_it():
    page = (ROOT / "docs/paper.md").read_text()
    assert "docs/paper.md" in (ROOT / "README.md").read_text()
    assert "https://github.com/umich-sota/TF-as-SVM" in page
    model = page.split("## The model in ten lines")[1].split("\n## ")[0]
    assert re.findall(r"^(\d+)\. ", model, re.MULTILINE) == [str(k) for k in range(1, 11)]
    figures = [card.name for card in cards.figures() if card.section == "paper" and card.stages and not card.parent]
    missing = [name for name in figures if f"figures/{name}`" not in page and f"#{name})" not in page]
    assert not missing
    claims = {c.key for card in cards.claiming() for c in card.claims if c.group == "paper"}
    ours = {"self_own_norm", "self_locally_optimal"}  # the same rows for self-attention
    assert not [key for key in claims - ours if f"`{key}`" not in page]
    named = set(re.findall(r"`snakemake (figures/\w+)", page))
    assert named <= {f"figures/{card.name}" for card in cards.figures()}


def test_the_pages_say_sizes_times_and_conda():
    from attnsvm.pipeline.setup import environment_check

    readme, install = (" ".join((ROOT / name).read_text().split()) for name in ("README.md", "docs/install.md"))
    pace = json.loads(environment_check.TIMES.read_text())["pace"]
    for target in ("figures", "all"):
        row = next(
            line for line in (ROOT / "README.md").read_text().splitlines() if line.startswith(f"| `make {target}`")
        )
        minutes = (environment_check.building(target, 2) + environment_check.COMPILING / 2) * pace / 60
        assert int(re.search(r"\| about (\d+) min \|$", row)[1]) == pytest.approx(minutes, rel=0.15)
    assert "make check" in readme
    assert "conda env create -f environment.yml" in install
    for kind in ("cuda", "cpu"):
        assert environment_check.gigabytes(environment_check.INSTALLED[kind]) in install
        assert environment_check.gigabytes(environment_check.DOWNLOADED[kind]) in install
