"""Snakemake's report in a real browser: nothing complains, and every figure is there to be seen."""

import os
import shutil
import time

import pytest
from harness import build

from attnsvm.pipeline import cards
from attnsvm.pipeline.captions import caption
from attnsvm.pipeline.configuration import resolve

EXECUTABLES = ("chromium", "chromedriver")
missing = [name for name in EXECUTABLES if shutil.which(name) is None]
if missing and not os.environ.get("ATTNSVM_REQUIRE_BROWSER"):
    pytest.skip(f"not installed: {', '.join(missing)}", allow_module_level=True)

FIGURES = {card.name: card for card in cards.figures()}
HEADINGS = ["1 The audit", *(f"{k} {section}" for k, section in enumerate(cards.sections(), start=2))]


@pytest.fixture(scope="module")
def report(built, tmp_path_factory):
    folder = shutil.copytree(built, tmp_path_factory.mktemp("report") / "run")
    build(folder, "figures/all", "audit", "--report", "report.html")
    return folder / "report.html"


@pytest.fixture(scope="module")
def browser():
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1400,1000"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options, webdriver.ChromeService(shutil.which("chromedriver")))
    driver.implicitly_wait(10)
    yield driver
    driver.quit()


def open_category(browser, report, name):
    browser.get(report.as_uri())
    browser.find_element("link text", name).click()
    return {row.find_element("tag name", "td").text: row for row in browser.find_elements("css selector", "tbody tr")}


def categories(browser, report):
    browser.get(report.as_uri())
    texts = [link.text for link in browser.find_elements("css selector", "li a")]
    return [text for text in texts if text[:1].isdigit()]


def test_the_audit_comes_first_and_every_figure_has_its_place(browser, report):
    assert categories(browser, report) == HEADINGS
    for heading, own in zip(HEADINGS[1:], cards.sections().values(), strict=True):
        assert set(open_category(browser, report, heading)) == {card.name for card in own}


def test_every_figure_is_visible_and_explained_and_nothing_complains(browser, report):
    smoke, seen = resolve({"scale": "smoke"}), 0
    for category in HEADINGS:
        for name in open_category(browser, report, category):
            page = category == HEADINGS[0] and name.endswith("every claim")
            row = open_category(browser, report, category)[name]
            row.find_element("css selector", "a[iconname=eye]").click()
            shown = browser.find_element("css selector", "iframe" if page else "img[src^='data:image/png']")
            for _ in range(50):
                if page or int(shown.get_attribute("naturalWidth")) > 0:
                    break
                time.sleep(0.1)
            assert shown.is_displayed()
            assert shown.size["width"] > 300
            assert page or int(shown.get_attribute("naturalWidth")) > 300
            if page:
                browser.switch_to.frame(shown)
                assert "SVM certificates checked, 0 failed" in browser.find_element("tag name", "body").text
                browser.switch_to.default_content()
            if name in FIGURES:
                row = open_category(browser, report, category)[name]
                row.find_element("css selector", "a[iconname=information-circle]").click()
                body = " ".join(browser.find_element("tag name", "body").text.split())
                for sentence in words(caption(FIGURES[name], smoke)):
                    assert sentence in body, "the caption with the sizes of this run"
            seen += 1
    assert seen == len(FIGURES) + 2
    severe = [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]
    assert not severe


def words(text):
    """The sentences of a caption that reStructuredText leaves as they are."""
    sentences = [" ".join(sentence.split()) for sentence in text.split(". ")]
    plain = [sentence for sentence in sentences if not set("*`_|\\") & set(sentence)]
    assert plain
    return plain
