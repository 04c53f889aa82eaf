"""The documentation: its code runs as pasted, its links lead somewhere, the files it names are there."""

import json
import re

import pytest
import yaml
from harness import ROOT, run_python
from PIL import Image

from attnsvm.pipeline import cards
from attnsvm.pipeline.configuration import resolve, schema
from attnsvm.publish.documents import docs
from attnsvm.publish.exchange import reference
from attnsvm.system.errors import UserError

PAGES = [
    *(ROOT / name for name in ("README.md", "CHANGELOG.md", "figures/README.md")),
    *sorted((ROOT / "docs").glob("*.md")),
]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.DOTALL | re.MULTILINE)
BLOCKS = [
    pytest.param(block, id=f"{page.name}-{k}")
    for page in PAGES
    for k, (language, block) in enumerate(FENCE.findall(page.read_text()))
    if language == "python" and not block.startswith("# experiments/")  # files of an experiment: test_new_experiment.py
]
LINK = re.compile(r"\]\(([^)\s]+)\)")
OUTSIDE = ("http://", "https://", "mailto:")


def anchors(page):
    """The names by which a page's headings are linked to, as GitHub makes them."""
    text = FENCE.sub("", page.read_text())
    found = []
    for heading in re.findall(r"^#+ +(.*?)\s*#*$", text, re.MULTILINE):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        name = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        found.append(name if name not in found else f"{name}-{found.count(name)}")
    return {*found, *re.findall(r'<a (?:id|name)="([^"]+)"', text)}


def links(page):
    return [link for link in LINK.findall(FENCE.sub("", page.read_text())) if not link.startswith(OUTSIDE)]


@pytest.mark.parametrize("block", BLOCKS)
def test_a_python_block_runs_as_pasted(block, tmp_path):
    assert run_python(block, cwd=tmp_path).strip()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_to_a_file_and_to_a_heading_in_it(page):
    for link in links(page):
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        assert target.exists(), f"{link}: there is no such file"
        if anchor:
            assert anchor in anchors(target), f"{link}: there is no such heading; there are {sorted(anchors(target))}"


def test_links_are_found_and_so_are_headings():
    """The two tests above would pass on pages without links."""
    assert sum("#" in link for page in PAGES for link in links(page)) >= 1
    assert {"start-from-what-runs", "the-card"} <= anchors(ROOT / "docs/experiment.md")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_file_that_a_page_names_is_there(page):
    """In backticks, from a folder of this repository on; `<name>`, `*` and `...` stand for something."""
    tops = "attnsvm|benchmarks|config|docs|profiles|tests|workflow"
    named = re.findall(rf"`((?:{tops})/[\w./-]*\w|Snakefile|[\w-]+\.(?:toml|lock|yml))`", page.read_text())
    if page.name == "CHANGELOG.md":  # tells of what was
        return
    missing = [name for name in named if not (ROOT / name).exists() and "shared_query" not in name]
    assert not missing


def test_every_command_that_a_page_names_is_one_of_make():
    targets = set(re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = {(page.name, command) for page in PAGES for command in re.findall(r"`make ([a-z-]+)", page.read_text())}
    assert not [(page, command) for page, command in named if command not in targets]


def test_the_page_of_the_configuration_names_every_key_and_its_example_is_one():
    page = (ROOT / "config/README.md").read_text()
    for key in schema()["properties"]:
        assert f"| `{key}` |" in page
    (example,) = [text for language, text in FENCE.findall(page) if language == "yaml"]
    assert resolve(yaml.safe_load(example))["figures"]["dpi"] == 600


RELEASED = set(reference.read().figures)


def drafts():
    """New experiments that `make docs` has not put into the pages yet: one that was just made is no fault."""
    gallery = (ROOT / "figures/README.md").read_text("utf-8")
    return {card.name for card in cards.every() if new(card) and f"figures/{card.name}`" not in gallery}


def new(card):
    """Whether a figure is in no release: it may not be built at full scale yet."""
    return bool(card.draws) and not (card.optional or card.name in RELEASED)


def test_the_pages_are_what_the_cards_say(monkeypatch):
    documented = tuple(card for card in cards.every() if card.name not in drafts())
    monkeypatch.setattr(cards, "every", lambda: documented)
    for name, text in docs.generated().items():
        assert (ROOT / name).read_text("utf-8") == text, f"{name}: run make docs"


def test_every_figure_is_in_the_gallery_with_its_picture_and_its_card():
    gallery = (ROOT / "figures/README.md").read_text("utf-8")
    for card in cards.figures(optional=True):
        if card.name in drafts():
            continue
        assert f"snakemake figures/{card.name}`" in gallery
        assert re.search(rf"^\| \[{card.name}\]\(#{card.name}\) \| .* \| (about )?(\d+ s|–) \|$", gallery, re.MULTILINE)
        if not new(card):
            assert f"gallery/{card.name}.png" in gallery
            assert (ROOT / f"figures/gallery/{card.name}.png").read_bytes().startswith(b"\x89PNG")
        assert f"(../{cards.place(card.name)}/card.yaml)" in gallery


def test_the_gallery_has_no_picture_of_a_figure_that_is_gone():
    shown = {path.stem for path in (ROOT / "figures/gallery").glob("*.png")}
    known = {card.name: new(card) for card in cards.figures(optional=True)}
    assert {name for name in known if not known[name]} | {"audit"} <= shown <= {"audit", *known}


def test_pictures_and_times_that_are_there_stay_unless_all_are_asked_for(tmp_path, monkeypatch):
    """A contributor's processor draws other pixels and takes other times: only what is new is added."""
    monkeypatch.setattr(docs.environment_check, "pace", lambda cores: (0.5, 0.0, ""))
    built, gallery, times = tmp_path / "figures", tmp_path / "gallery", tmp_path / "times.json"
    built.mkdir()
    for name in ("cone", "rates"):
        Image.new("RGB", (4, 4), "white").save(built / f"{name}.png")
    gallery.mkdir()
    (gallery / "cone.png").write_bytes(b"as it was")
    old, new = ({"seeds": {"first": 0, "last": 1}, "cost": {"svm": {"cpu_s": cpu}}} for cpu in (1.0, 2.0))
    times.write_text(json.dumps({"experiments": {"cone": old, "gone": old}, "pace": 0.7}))
    (built / "audit.json").write_text(json.dumps({"experiments": {"cone": new, "rates": new}}))
    for anew, cone, left in ((False, old, {"cone", "gone", "rates"}), (True, new, {"cone", "rates"})):
        docs.small_pictures(built, gallery, anew)
        docs.stage_times(built / "audit.json", times, anew)
        assert ((gallery / "cone.png").read_bytes() == b"as it was") == (not anew)
        assert Image.open(gallery / "rates.png").size == (2, 2), "half as wide and high"
        assert json.loads(times.read_text())["pace"] == (0.5 if anew else 0.7)
        kept = json.loads(times.read_text())["experiments"]
        assert set(kept) == left
        assert kept["cone"] == cone
        assert kept["rates"] == new


def test_the_readme_is_one_page_and_its_verdicts_are_those_of_the_gallery():
    text = (ROOT / "README.md").read_text("utf-8")
    assert len(text.splitlines()) <= 90
    row = r"^\| (.+) \| ([a-z]+) \| ([a-z ]+) \| \[(\w+)\]\(figures/README\.md#\4\) \|$"
    rows, found = re.findall(row, text, re.MULTILINE), docs.known_verdicts()
    assert [verdict for _, _, verdict, _ in rows] == [found.get(key, "not built") for key in docs.TOLD]
    assert "not built" not in {verdict for _, _, verdict, _ in rows}
    assert len(rows) <= 6
    for sentence, _, verdict, _ in rows:
        assert sentence.startswith(docs.TRUE.get(verdict, ""))
    assert rows[0][0] == cards.read("normalisation").claims[0].statement


def test_claims_of_the_paper_are_counted_as_first_asked(monkeypatch):
    """What sharpens a claim is another claim, and no second try of the first."""
    monkeypatch.setattr(docs, "known_verdicts", lambda: dict.fromkeys(("rank_bound", "row_space"), "holds"))
    assert docs._counted() == "theorems of the paper: 2 hold"
    one = {"global_grows": "fails", "locally_optimal_growing": "holds", "geometries": "holds", "rank_bound": "holds"}
    monkeypatch.setattr(docs, "known_verdicts", lambda: one)
    kinds = "theorems of the paper: 1 holds; our stronger readings of the paper: 1 fails; our own: 1 holds"
    assert docs._counted() == kinds


def test_a_claim_that_the_readme_tells_of_and_that_is_gone_is_named(monkeypatch):
    monkeypatch.setattr(docs, "TOLD", ("no_such_claim",))
    with pytest.raises(UserError, match="TOLD: there is no claim 'no_such_claim'"):
        docs._told()
