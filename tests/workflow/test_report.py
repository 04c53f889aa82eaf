"""Snakemake's report in a real browser: every figure with its caption, and the audit."""

import shutil
import time

import chromium
import pytest
from harness import NOTHING, build, dry, edited, few

from attnsvm.pipeline import cards
from attnsvm.pipeline.captions import caption, notes
from attnsvm.pipeline.configuration import resolve

chromium.required()

SECTIONS = {section: few(own) for section, own in cards.sections().items() if few(own)}
AUDIT = {"every claim", "every verdict"}


@pytest.fixture(scope="module")
def report(built, tmp_path_factory):
    folder = shutil.copytree(built, tmp_path_factory.mktemp("report") / "run")
    build(folder, "report")
    build(folder, "report", "--report", "report.html")
    return folder / "report.html"


@pytest.fixture(scope="module")
def browser():
    driver = chromium.started()
    driver.implicitly_wait(10)
    yield driver
    driver.quit()


def text_of(browser):
    return " ".join(browser.find_element("tag name", "body").text.split())


def open_category(browser, report, name):
    browser.get(report.as_uri())
    browser.find_element("link text", name).click()
    return rows_of(browser)


def rows_of(browser):
    rows = browser.find_elements("css selector", "table.table-auto tbody tr")  # that of the first page is another
    return {row.find_element("tag name", "td").text: row for row in rows}


def press(row, icon):
    row.find_element("css selector", f"a[iconname={icon}]").click()


def waited_for(condition):
    for _ in range(50):
        if condition():
            return True
        time.sleep(0.1)
    return False


def test_it_opens_on_the_abstract_and_not_on_a_graph(browser, report):
    browser.get(report.as_uri())
    title = browser.find_element("css selector", "h1.title")
    assert 0 <= title.location["y"] < 200, "the first page starts at its top"
    text = text_of(browser)
    assert "Transformers as support vector machines, rebuilt and certified" in text
    assert "This is a smoke run: its numbers are too small to mean anything" in text
    assert not browser.execute_script("return document.querySelectorAll('.vega-embed').length")


def test_the_audit_and_every_figure_have_their_place(browser, report):
    browser.get(report.as_uri())
    texts = {link.text for link in browser.find_elements("css selector", "li a")}
    assert {"Audit", *SECTIONS} <= texts
    assert set(open_category(browser, report, "Audit")) == AUDIT
    for section, own in SECTIONS.items():
        assert set(open_category(browser, report, section)) == {card.name for card in own}


def test_every_figure_is_seen_and_has_its_caption_and_its_notes(browser, report):
    smoke = resolve({"scale": "smoke"})
    for section, own in SECTIONS.items():
        for card in own:
            press(open_category(browser, report, section)[card.name], "eye")
            picture = browser.find_element("css selector", f"img[src*='filename={card.name}.svg']")
            assert waited_for(lambda picture=picture: int(picture.get_attribute("naturalWidth")) > 300)
            assert picture.is_displayed()
            press(rows_of(browser)[card.name], "information-circle")
            below = browser.find_element("css selector", "#app nav .prose")
            assert below.is_displayed()
            said = f"{caption(card, smoke)} {notes(card, smoke)}"
            assert below.text.split() == said.replace("`", "").split()


def test_the_audit_is_there_as_a_page_and_as_a_picture(browser, report):
    press(open_category(browser, report, "Audit")["every verdict"], "eye")
    assert browser.find_element("css selector", "img[src*='filename=audit.svg']").is_displayed()
    press(rows_of(browser)["every claim"], "eye")
    frame = browser.find_element("css selector", "iframe[src*='filename=audit.html']")
    assert frame.size["width"] > 600
    browser.switch_to.frame(frame)
    assert "SVM answers checked, 0 left without proof" in text_of(browser)
    assert "local_convergence" in text_of(browser)
    assert not browser.find_elements("css selector", "a[href^='../']"), "leads out of the report, to nothing"
    browser.switch_to.default_content()


def test_another_caption_is_in_the_next_report_and_draws_no_figure_again(report):
    card = "attnsvm/experiments/own/cone/card.yaml"
    with edited(report.parent, {card: lambda text: text.replace("Runs started", "Those started", 1)}):
        assert NOTHING in dry(report.parent, "report").stdout
        build(report.parent, "report", "--report", "other.html")
    assert "Those started" in (report.parent / "other.html").read_text()


def test_nothing_complains(browser, report):
    browser.get(report.as_uri())
    severe = [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]
    assert not severe


def test_on_a_phone_the_menu_stands_above_the_text(browser, report):
    phone = {"width": 360, "height": 720, "deviceScaleFactor": 1, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", phone)
    try:
        browser.get(report.as_uri())
        menu = browser.find_element("css selector", "#app nav").rect
        text = browser.find_element("css selector", "#app .prose").rect
        assert menu["y"] + menu["height"] <= text["y"]
        assert menu["height"] <= 0.4 * 720 + 1
        assert text["width"] > 250
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
