"""Snakemake's report in a real browser: nothing complains, and every figure is there to be seen."""

import os
import shutil
import time

import pytest
from pipeline import ROOT, snakemake

from attnsvm.plots import FIGURES

EXECUTABLES = ("chromium", "chromedriver")
missing = [name for name in EXECUTABLES if shutil.which(name) is None]
if missing and not os.environ.get("ATTNSVM_REQUIRE_BROWSER"):
    pytest.skip(f"not installed: {', '.join(missing)}", allow_module_level=True)


@pytest.fixture(scope="module")
def report(built):
    run = snakemake(built, "figures/all", "audit", "--report", "report.html")
    assert run.returncode == 0, run.stdout
    return built / "report.html"


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
    found = categories(browser, report)
    assert found == ["1 The audit", "2 The official figures", "3 The rest of the paper", "4 Our own"]
    shown = {name for category in found[1:] for name in open_category(browser, report, category)}
    assert shown == set(FIGURES)


def test_every_figure_is_visible_and_explained_and_nothing_complains(browser, report):
    seen = 0
    for category in categories(browser, report):
        for name in open_category(browser, report, category):
            page = category.startswith("1") and name.endswith("every claim")
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
                caption = (ROOT / f"workflow/report/{name}.rst").read_text().split(",")[0].split("(")[0].strip()
                body = browser.find_element("tag name", "body")
                assert caption[:40] in " ".join(body.text.split())
            seen += 1
    assert seen == len(FIGURES) + 2
    severe = [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]
    assert not severe
