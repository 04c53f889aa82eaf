"""The page of an inspection in a browser: a grid that keys and fingers open, in any light and on any width."""

import chromium
import numpy as np
import pytest

from attnsvm import inspect

chromium.required()


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    rng = np.random.default_rng(0)
    folder = tmp_path_factory.mktemp("page")
    arrays = {
        "tokens": rng.normal(size=(40, 7, 4)),
        "queries": rng.normal(size=(40, 4)),
        "W": rng.normal(size=(3, 4, 4)),
    }
    words = np.array([[f"{i}.{t}" for t in range(7)] for i in range(40)])
    np.savez(folder / "model.npz", words=words, delimiters=np.tile(np.arange(7) == 0, (40, 1)), **arrays)
    inspect.inspection(folder / "model.npz", draws=1, nuclear_inputs=5).save(folder)
    return folder / "heads.html"


@pytest.fixture(scope="module")
def started():
    driver = chromium.started(1200, 900)
    yield driver
    driver.quit()


@pytest.fixture
def browser(started):
    """With nothing in it, in a window of its own size, in the light of the system."""
    started.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    started.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    started.get("about:blank")
    started.get_log("browser")
    return started


def keys(browser, *pressed):
    for key in pressed:
        browser.switch_to.active_element.send_keys(key)


def test_keys_move_open_and_close_and_the_marks_are_those_of_the_table(browser, page):
    from selenium.webdriver.common.keys import Keys

    browser.get(page.as_uri())
    buttons = browser.find_elements("css selector", "#grid button")
    assert [b.get_attribute("tabindex") for b in buttons] == ["0", "-1", "-1"]  # one stop for the tab key
    browser.execute_script("arguments[0].focus()", buttons[0])
    keys(browser, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_LEFT, Keys.ENTER)
    panel = browser.find_element("id", "open")
    assert panel.find_element("tag name", "h2").text == "Layer 0, head 1"
    assert browser.current_url.endswith("#0-1")
    table = inspect.heads(page.parent / "model.npz", norms=["fro"], draws=0)
    sentences = panel.find_elements("css selector", "ol.inputs li")
    assert len(sentences) == table.inputs_fro[1]
    assert len(panel.find_elements("css selector", "li .selected")) == table.inputs_fro[1]
    assert len(panel.find_elements("css selector", "li .support")) == table.support_fro[1]
    assert len(panel.find_elements("css selector", "li .delimiter")) == table.inputs_fro[1]
    keys(browser, Keys.ESCAPE)
    assert not panel.is_displayed()
    assert browser.switch_to.active_element == buttons[1]
    browser.get(page.as_uri() + "#0-2")  # a link to a head opens it
    browser.refresh()
    assert browser.find_element("css selector", "#open h2").text == "Layer 0, head 2"
    assert not browser.get_log("browser")


def test_what_a_reader_sees_first_is_the_verdict_and_what_it_rests_on(browser, page):
    """Twelve inputs are held out here."""
    browser.get(page.as_uri())
    (said,) = (browser.find_element("css selector", "#summary p:first-child").text,)
    assert said.startswith("SVMs predict new selections better than ")
    assert said.endswith(" are not decided with 12 texts.")
    made = browser.find_element("id", "made")
    made.find_element("tag name", "summary").click()
    rows = [row.text.split("\n") for row in made.find_elements("css selector", "dl div")]
    assert [row[0] for row in rows] == ["model", "SHA-256", "seed", "release", "date"]


def test_every_quantity_can_be_shown(browser, page, tmp_path):
    """Also where one column stands there twice, beside other null models, as on the page of lifted heads."""
    from selenium.webdriver.support.ui import Select

    shown = '"shown":[{"column":"alignment_fro","name":"Alignment, Frobenius"'
    again = '{"column":"alignment_fro","name":"Alignment","beside":"chance","besideName":"chance"},'
    text = page.read_text("utf-8")
    assert shown in text
    (tmp_path / "heads.html").write_text(text.replace(shown, shown.replace("[", "[" + again)), "utf-8")
    browser.get((tmp_path / "heads.html").as_uri())
    choice = Select(browser.find_element("id", "quantity"))
    seen = set()
    for option in choice.options:
        choice.select_by_visible_text(option.text)
        seen.add(browser.find_element("css selector", "#grid button").get_attribute("aria-label"))
        assert browser.find_element("id", "means").text
    assert len(seen) == len(choice.options) > 8
    assert all("null" not in label and "NaN" not in label and "undefined" not in label for label in seen)


@pytest.mark.parametrize("light", ["light", "dark"])
def test_it_can_be_read_on_a_phone_in_any_light(light, browser, page):
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                            {"width": 360, "height": 720, "deviceScaleFactor": 2, "mobile": True})  # fmt: skip
    browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": light}]}
    )
    browser.get(page.as_uri() + "#0-0")
    assert browser.execute_script("return document.documentElement.scrollWidth") <= 360
    ratios = browser.execute_script(CONTRAST + "return all(TEXTS);")
    assert len(ratios) > 50
    assert min(ratios) >= 4.5  # WCAG 2.2, AA for text
    shades = "const b = document.querySelector('#grid button'), found = [];"
    shades += "for (let k = 0; k <= 100; k++) { shade(b, k / 100); found.push(all('#grid button')[0]); } return found;"
    shaded = browser.execute_script(CONTRAST + shades)
    assert len(set(shaded)) > 50
    assert min(shaded) >= 4.5


# The contrast of every text with what is behind it.
CONTRAST = """
const paint = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
const rgb = text => { paint.clearRect(0, 0, 1, 1); paint.fillStyle = text; paint.fillRect(0, 0, 1, 1);
  return paint.getImageData(0, 0, 1, 1).data; };
const light = c => [.2126, .7152, .0722].reduce((sum, w, k) => { const x = c[k] / 255;
  return sum + w * (x <= .04045 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4); }, 0);
const behind = e => {
  for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor); if (c[3] === 255) return c; }
  return [255, 255, 255]; };
const TEXTS = "#grid button, #grid small, p, h1, h2, summary, li span.t, th";
const all = which => [...document.querySelectorAll(which)].filter(e => e.offsetParent).map(e => {
  const [a, b] = [light(rgb(getComputedStyle(e).color)), light(behind(e))].sort((x, y) => y - x);
  return (a + .05) / (b + .05); });
"""
