"""Snakemake's report in a real browser: the verdicts first, each figure with its caption, no link dead."""

import csv
import shutil
import time
from collections import Counter

import chromium
import pytest
from harness import BUILT, build, few

from attnsvm.pipeline import cards
from attnsvm.pipeline.configuration import resolve
from attnsvm.publish.documents.captions import caption

chromium.required()

FIGURES = {card.name: card for card in few(cards.figures())}
SECTIONS = {section: few(own) for section, own in cards.sections().items() if few(own)}
HEADINGS = ["1 The audit", *(f"{k} {section}" for k, section in enumerate(SECTIONS, start=2))]
EVERY_CLAIM = "every claim"


@pytest.fixture(scope="module")
def report(built, tmp_path_factory):
    folder = shutil.copytree(built, tmp_path_factory.mktemp("report") / "run")
    build(folder, "report")
    build(folder, "report", "--report", "report.html")
    return folder / "report.html"


@pytest.fixture(scope="module")
def claims(report):
    with open(report.parent / BUILT / "results/audit/claims.csv", newline="") as file:
        return list(csv.DictReader(file))


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


def open_page(browser, row, name):
    """Step into the page of this name: of a figure, or of the audit; the one before it stays for a moment."""
    row.find_element("css selector", "a[iconname=eye]").click()
    frame = browser.find_element("css selector", f"iframe[src*='filename={name}.html']")
    assert frame.is_displayed()
    assert frame.size["width"] > 600
    browser.switch_to.frame(frame)


def waited_for(condition):
    for _ in range(50):
        if condition():
            return True
        time.sleep(0.1)
    return False


def test_it_opens_on_the_abstract_and_the_verdicts_and_not_on_a_graph(browser, report, claims):
    browser.get(report.as_uri())
    title = browser.find_element("css selector", "h1.title")
    assert 0 <= title.location["y"] < 200, "the first page starts at its top"
    text = text_of(browser)
    assert "Transformers as support vector machines, rebuilt and certified" in text
    assert "This is a smoke run: its numbers are too small to mean anything" in text
    assert claims
    for verdict, count in Counter(row["verdict"] for row in claims).items():
        assert f"{count} {verdict}" in text
    for row in claims:
        assert " ".join(row["statement"].split()) in text
    assert not browser.execute_script("return document.querySelectorAll('.vega-embed').length")
    browser.find_element("link text", HEADINGS[0]).click()
    assert waited_for(lambda: EVERY_CLAIM in text_of(browser)), "the link on the first page leads to the audit"


def test_the_audit_comes_first_and_every_figure_has_its_place(browser, report):
    browser.get(report.as_uri())
    texts = [link.text for link in browser.find_elements("css selector", "li a")]
    assert [text for text in texts if text[:1].isdigit()] == HEADINGS
    assert set(open_category(browser, report, HEADINGS[0])) == {EVERY_CLAIM}
    for heading, own in zip(HEADINGS[1:], SECTIONS.values(), strict=True):
        assert set(open_category(browser, report, heading)) == {card.name for card in own}


def test_every_figure_is_seen_with_its_caption_and_its_claims(browser, report, claims):
    smoke, seen = resolve({"scale": "smoke"}), 0
    for heading, own in zip(HEADINGS[1:], SECTIONS.values(), strict=True):
        open_category(browser, report, heading)
        for card in own:
            open_page(browser, rows_of(browser)[card.name], card.name)
            picture = browser.find_element("css selector", "figure img")
            assert waited_for(lambda picture=picture: int(picture.get_attribute("naturalWidth")) > 300)
            assert picture.is_displayed()
            below = browser.find_element("css selector", "figure figcaption")
            assert below.is_displayed()
            assert " ".join(below.text.split()) == " ".join(caption(card, smoke).replace("`", "").split())
            assert 0 <= below.location["y"] - (picture.location["y"] + picture.size["height"]) < 60
            text = text_of(browser)
            for row in claims:
                if row["figure"] == card.name:
                    assert row["statement"].replace("`", "") in text
                    assert row["verdict"] in text
            browser.switch_to.default_content()
            seen += 1
    assert seen == len(FIGURES)


def test_the_links_inside_the_audit_lead_to_its_pictures(browser, report, claims):
    open_page(browser, open_category(browser, report, HEADINGS[0])[EVERY_CLAIM], "audit")
    assert "SVM answers checked, 0 left without proof" in text_of(browser)
    links = browser.find_elements("css selector", "a")
    targets = {link.get_dom_attribute("href") for link in links}
    assert all(target.startswith("#") for target in targets), "the report is one file: no link leads out of it"
    ids = set(browser.execute_script("return [...document.querySelectorAll('[id]')].map(e => '#' + e.id)"))
    assert targets <= ids
    assert {f"#figure-{row['figure']}" for row in claims if row["figure"]} <= targets
    pictures = browser.find_elements("css selector", "img")
    for picture in pictures:
        assert waited_for(lambda picture=picture: int(picture.get_attribute("naturalWidth")) > 200)
    assert len(pictures) == 1 + len({row["figure"] for row in claims if row["figure"]})
    target = browser.find_element("id", "figure-cone")
    place = "return arguments[0].getBoundingClientRect().top"
    assert browser.execute_script(place, target) > 1000
    browser.find_element("css selector", "a[href='#figure-cone']").click()
    assert waited_for(lambda: abs(browser.execute_script(place, target)) < 1000), "the link scrolls to the picture"
    browser.switch_to.default_content()


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
