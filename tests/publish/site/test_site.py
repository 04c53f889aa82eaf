"""The site as its readers have it: every link leads somewhere, no width is too narrow, nothing is asked of others."""

import base64
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pandas as pd
import pytest
from harness import BUILT, ROOT, build, dry, jobs
from mathematics import formulae
from PIL import Image
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from attnsvm.audit.evaluation import GROUPS, VERDICTS, in_words
from attnsvm.pipeline import captions, cards
from attnsvm.pipeline.configuration import resolve
from attnsvm.publish.site.pages import MENU, first_sentence, plain
from attnsvm.system.store import load_csv

WIDTHS = (360, 768, 1280)
# One page of each kind; the links of all are followed.
KINDS = (
    "index.html",
    "figures/README.html",
    "gallery/overview.html",
    "sections/paper.html",
    "audit.html",
    "explorer.html",
    "manuscript.html",
    "attnsvm.html",
    "docs/svm.html",
    "docs/theory.html",
    "README.html",
    "api/attnsvm.svm.html",
    "code/cone.html",
)
WIDE = """const cut = [document.documentElement, ...document.querySelectorAll('.wide, pre')];
return [Math.max(...cut.map((e) => e.scrollWidth - e.clientWidth)), getComputedStyle(document.body).backgroundColor];"""


class Page(HTMLParser):
    """What a page points to, what may be pointed to in it, and its pictures."""

    def __init__(self, text):
        super().__init__()
        self.links, self.resources, self.names, self.pictures, self.text = [], [], [], [], []
        self.skipped = 0
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.names += [found[key] for key in ("id", "name") if found.get(key)]
        if tag == "a" and found.get("href"):
            self.links.append(found["href"])
        if tag in ("img", "script", "iframe", "source") and found.get("src"):
            self.resources.append(found["src"])
        if tag == "link" and "stylesheet" in found.get("rel", "") + "icon":
            self.resources.append(found["href"])
        if tag == "img":
            self.pictures.append(found)
        self.skipped += tag in ("script", "style")

    def handle_endtag(self, tag):
        self.skipped -= tag in ("script", "style")

    def handle_data(self, data):
        if not self.skipped:
            self.text.append(data)


@pytest.fixture(scope="session")
def workshop(everything, tmp_path_factory):
    """A finished smoke run with the repository's own pages beside it, in which the site has been built."""
    folder = tmp_path_factory.mktemp("workshop") / "attnsvm"
    shutil.copytree(everything, folder)
    listed = subprocess.check_output(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, text=True)
    for name in listed.splitlines():
        if not (folder / name).exists() and (ROOT / name).is_file() and not name.startswith("tests/"):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    build(folder, "site")
    return folder


@pytest.fixture(scope="session")
def site(workshop):
    return workshop / BUILT / "site"


@pytest.fixture(scope="session")
def pages(site):
    """Every page by its path in the site."""
    return {str(path.relative_to(site)): Page(path.read_text("utf-8")) for path in sorted(site.rglob("*.html"))}


def files(site):
    return {str(path.relative_to(site)): path for path in sorted(site.rglob("*")) if path.is_file()}


def test_there_is_a_page_for_everything(pages):
    assert set(KINDS) < set(pages)
    assert {f"gallery/{card.name}.html" for card in cards.figures(optional=True)} < set(pages)
    assert {f"code/{name}.html" for name in cards.names()} < set(pages)
    under_a_heading = {f"{path}.html" for paths in MENU.values() for path in paths}
    assert {f"docs/{path.stem}.html" for path in (ROOT / "docs").glob("*.md")} < under_a_heading < set(pages)


def test_a_page_has_the_columns_the_settings_and_the_notes_of_its_figure(pages):
    for card in cards.figures(optional=True):
        said = " ".join("".join(pages[f"gallery/{card.name}.html"].text).split())
        stages = [(name, *stage) for name in card.draws for stage in cards.read(name).settings.items()]
        for name in (*card.columns, *(f"{name}.{stage}.{key}" for name, stage, keys in stages for key in keys)):
            assert name in said, card.name
        assert ("notes" in pages[f"gallery/{card.name}.html"].names) == bool(card.notes)


def test_the_paper_is_a_page_of_it_and_says_that_its_numbers_are_of_a_smoke_run(site, pages):
    paper = pages["attnsvm.html"]
    assert "numbers of a smoke run" in "".join(paper.text)
    assert {"index.html", "audit.html#W_to_frobenius", "gallery/layers.html", "attnsvm.pdf"} <= set(paper.links)
    assert (site / "attnsvm.pdf").read_bytes().startswith(b"%PDF-")
    for page in ("index.html", "manuscript.html"):
        assert {"attnsvm.html", "attnsvm.pdf"} <= set(pages[page].links)


def test_a_second_run_has_nothing_to_do(workshop):
    assert jobs(dry(workshop, "site")) == {}


@pytest.mark.slow
def test_a_second_build_gives_the_same_bytes(workshop, site, tmp_path):
    before = {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in files(site).items()}
    moved = tmp_path / "elsewhere"
    workshop.rename(moved)  # nothing of where it was built is in it
    try:
        build(moved, "site", "--forcerun", "site", environment={**os.environ, "PYTHONHASHSEED": "7"})
        again = {
            name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in files(moved / BUILT / "site").items()
        }
    finally:
        moved.rename(workshop)
    assert again == before


def test_no_page_asks_anything_of_anybody_else(site, pages):
    for name, page in pages.items():
        assert not [address for address in page.resources if urlsplit(address).scheme not in ("", "data")], name
    styles = [path.read_text("utf-8") for name, path in files(site).items() if name.endswith((".css", ".svg"))]
    assert not [found for text in styles for found in re.findall(r"@import|url\(['\"]?(?:https?:)?//[^)]*", text)]


def test_every_link_leads_somewhere(site, pages):
    dead = []
    for name, page in pages.items():
        for address in {*page.links, *page.resources}:
            parts = urlsplit(address)
            if parts.scheme:
                continue
            target = (Path(name).parent / unquote(parts.path)) if parts.path else Path(name)
            found = (site / target).resolve()
            if not found.is_file():
                dead.append(f"{name}: {address}")
            elif parts.fragment and found.suffix == ".html":
                there = pages[str(found.relative_to(site.resolve()))]
                if unquote(parts.fragment) not in there.names:
                    dead.append(f"{name}: {address}")
    assert not dead


def test_from_a_claim_to_its_figure_its_numbers_its_code_and_back(workshop, pages):
    claims = pd.read_csv(workshop / BUILT / "results/audit/claims.csv")
    audit = pages["audit.html"]
    homes = {claim.key: card.name for card in cards.claiming() for claim in card.claims}
    for key, figure in zip(claims.key, claims.figure, strict=True):
        assert key in audit.names
        assert f"code/{homes[key]}.html" in audit.links
        assert f"../audit.html#{key}" in pages[f"code/{homes[key]}.html"].links
        if isinstance(figure, str):
            assert f"gallery/{figure}.html" in audit.links
            own = pages[f"gallery/{figure}.html"].links
            assert f"../audit.html#{key}" in own
            assert {f"../figures/{figure}.{kind}" for kind in ("svg", "csv", "json")} < set(own)
            assert f"../code/{figure}.html" in own
            assert f"../gallery/{figure}.html" in pages[f"code/{figure}.html"].links


def test_the_counts_are_those_of_the_manuscript(workshop, site, pages):
    """Of the claims as first asked."""
    claims = pd.read_csv(workshop / BUILT / "results/audit/claims.csv")
    assert claims.sharpens.notna().any()
    claims = claims[claims.sharpens.isna()]
    text = (site / "audit.html").read_text("utf-8")
    shown = re.findall(r'audit\.html\?section=(\w+)&amp;verdict=([\w-]+)">(\d+)<', text)
    counts = claims.groupby(["group", claims.verdict.str.replace(" ", "-")]).size()
    assert {(group, verdict): int(count) for group, verdict, count in shown} == counts.to_dict()
    assert set(claims.group) <= set(GROUPS)
    numbers = json.loads((workshop / BUILT / "results/paper/numbers.json").read_text("utf-8"))["numbers"]
    foot = re.search(r"<tfoot>.*?</tfoot>", text, re.DOTALL)[0]
    verdicts = claims.verdict.value_counts()
    every = [
        *(numbers[f"rows.{word.replace(' ', '_')}"]["value"] for word in VERDICTS if word in verdicts),
        len(claims),
    ]
    assert [int(count) for count in re.findall(r">(\d+)<", foot)] == every
    door = next(line for line in "".join(pages["index.html"].text).splitlines() if "as first asked" in line)
    assert in_words(claims) in door


def test_the_menu_groups_the_figures(pages):
    headings = [key for key in cards.SECTIONS if any(card.section == key for card in cards.figures())]
    for card in cards.figures():
        links = pages[f"gallery/{card.name}.html"].links
        assert [f"../sections/{key}.html" for key in headings] == [
            link for link in dict.fromkeys(links) if "/sections/" in link
        ]
        own = {f"{one.name}.html" for one in cards.figures() if one.section == card.section and one != card}
        assert own <= set(links)
        assert f"../gallery/{card.name}.html" in pages[f"sections/{card.section}.html"].links


def test_every_picture_says_what_is_seen(pages):
    smoke = resolve({"scale": "smoke"})
    for card in cards.figures():
        own = [found for found in pages[f"gallery/{card.name}.html"].pictures if "figures/" in found["src"]]
        assert [found["src"] for found in own] == [f"../figures/{card.name}.svg"]
        assert own[0]["alt"] == first_sentence(captions.caption(card, smoke))
        assert own[0]["alt"].endswith(".")
    assert not [name for name, page in pages.items() for found in page.pictures if not found.get("alt")]


def test_formulae_are_mathml_and_no_script_sets_them(site, pages):
    page = (site / "docs/theory.html").read_text("utf-8")
    assert page.count("<math") == len(formulae((ROOT / "docs/theory.md").read_text("utf-8"))) > 100
    assert "$" not in "".join(pages["docs/theory.html"].text)
    assert not [
        name for name in pages if "mathjax" in (site / name).read_text("utf-8").lower().partition("<article")[0]
    ]


def test_nothing_of_mathematics_source_is_left_in_a_claim(pages):
    text = " ".join(pages["audit.html"].text)
    assert not re.findall(r"\$[^$]+\$|\\[a-z]+", text)


def opened(browser, site, name, script=True):
    browser.get("about:blank")
    browser.get_log("browser")
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": not script})
    browser.get((site / name).as_uri())


@pytest.fixture
def window(browser):
    """The browser, given back as it was."""
    yield browser
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


@pytest.mark.parametrize("name", KINDS)
def test_a_page_fits_every_width_and_complains_of_nothing(window, site, name):
    """Opened on a phone, which is then made wider."""
    for width, scheme in zip(WIDTHS, ("light", "dark", "light"), strict=True):
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
        window.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        window.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        if width == WIDTHS[0]:
            opened(window, site, name)
        wide, background = window.execute_script(WIDE)
        assert wide <= 0, width
        assert (sum(map(int, re.findall(r"\d+", background)[:3])) < 200) == (scheme == "dark")
        assert [entry for entry in window.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")] == []


def test_no_picture_of_the_gallery_is_cut_on_a_phone(window, site):
    """There it leads to its page, where it is large enough to read and moves sideways."""
    size = {"width": 360, "height": 900, "deviceScaleFactor": 1, "mobile": True}
    window.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    cut = "return [...document.querySelectorAll('.figure')].map((f) => f.scrollWidth - f.clientWidth)"
    opened(window, site, "figures/README.html")
    found = window.execute_script(cut)
    assert len(found) > 20
    assert max(found) <= 0
    opened(window, site, "gallery/geometries.html")
    assert max(window.execute_script(cut)) > 0
    said = "return getComputedStyle(document.querySelector('.figure'), '::before')"
    assert "sideways" in window.execute_script(f"{said}.content")
    assert window.execute_script(f"{said}.display") == "block"


def test_every_verdict_has_its_colour(site):
    style = (site / "_static/site.css").read_text("utf-8")
    for verdict in VERDICTS:
        assert re.search(rf"^\.{verdict.replace(' ', '-')} {{ color: var", style, re.MULTILINE), verdict


def test_certificates_that_failed_are_one_link_away(site):
    text = (site / "audit.html").read_text("utf-8")
    assert 'href="#certificates"' in text
    table = text.partition('id="certificates"')[2]
    for card in cards.experiments():
        found = load_csv(site.parent / f"results/{card.name}/certificates.csv")
        row = re.search(rf'<tr id="certificates-{card.name}">(.*?)</tr>', table, re.DOTALL)[1]
        assert re.findall(r"<td>([\d,]+)</td>", row)[:5] == [
            f"{int(found[name].sum()):,}" for name in ("solved", "infeasible", "remote", "uncertified", "rational")
        ]


def test_a_figure_stands_on_white_on_a_dark_page(window, site):
    features = [{"name": "prefers-color-scheme", "value": "dark"}]
    window.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    opened(window, site, "gallery/geometries.html")
    script = """const [image] = document.querySelectorAll('.figure img'), box = image.getBoundingClientRect();
    return [image.complete && image.naturalWidth > 0, box.x, box.y];"""
    loaded, x, y = window.execute_script(script)
    assert loaded
    shown = Image.open(io.BytesIO(base64.b64decode(window.get_screenshot_as_base64()))).convert("RGB")
    assert shown.getpixel((round(x + 6), round(y + 6))) == (255, 255, 255)


def test_rows_are_chosen_by_verdict_and_section(window, site):
    rows = "return [...document.querySelectorAll('table.audit tbody tr')].filter((r) => r.offsetParent)"
    rows += ".map((r) => [r.dataset.verdict, r.closest('table').dataset.section])"
    opened(window, site, "audit.html")
    every = window.execute_script(rows)
    choose = "const s = document.querySelector(`select[name=${arguments[0]}]`); s.value = arguments[1];"
    choose += "s.dispatchEvent(new Event('change'))"
    window.execute_script(choose, "section", "paper")
    assert window.execute_script(rows) == [row for row in every if row[1] == "paper"]
    verdict = next(row[0] for row in every if row[1] == "paper")
    window.execute_script(choose, "verdict", verdict)
    expected = [row for row in every if row == [verdict, "paper"]]
    assert window.execute_script(rows) == expected != every
    said = window.execute_script("return document.querySelector('#filter output').textContent")
    assert said == f"{len(expected)} of {len(every)} claims"
    opened(window, site, "index.html")
    window.get((site / "audit.html").as_uri() + f"?verdict={verdict}&section=paper")
    assert window.execute_script(rows) == expected, "as the table of counts links to them"
    # A link to a row shows the row, whatever is chosen.
    hidden = window.execute_script("return [...document.querySelectorAll('table.audit tr[hidden]')].at(-1).id")
    window.execute_script("location.hash = arguments[0]", hidden)
    shown = "return document.getElementById(arguments[0]).offsetParent !== null"
    WebDriverWait(window, 5).until(lambda driver: driver.execute_script(shown, hidden))


def test_without_javascript_every_row_and_the_pages_can_be_read(window, site):
    """Read by the protocol: the page itself runs no program."""

    def text(name):
        opened(window, site, name, script=False)
        return window.find_element("css selector", "article, body > header").get_property("innerText")  # displayed

    for name in ("index.html", "gallery/overview.html", "docs/svm.html", "code/cone.html"):
        assert len(text(name)) > 200, name
    shown = text("audit.html")
    claims = pd.read_csv(site.parent / "results/audit/claims.csv")
    assert not [short for short in claims.short if plain(short) not in shown]
    assert not window.find_elements("css selector", "#filter select")
    assert "does not run" in text("explorer.html")


def test_it_can_be_walked_by_keys(window, site):
    """Every link and menu can be reached with the tab key, and what is reached is marked."""
    opened(window, site, "index.html")
    missing = {"figures/README.html", "audit.html", "explorer.html", "docs/svm.html"}
    name = "const e = document.activeElement; return e.getAttribute('href') || e.id || e.className"
    for _ in range(150):
        window.switch_to.active_element.send_keys(Keys.TAB)
        missing.discard(window.execute_script(name))
        if not missing:
            break
    assert not missing
