"""The explorer as its reader has it: one file, moved by mouse, finger and keys, at every width, light and dark."""

import json
import re
import time

import numpy as np
import pytest

from attnsvm.experiments.paper.hyperplanes import problems as hyperplanes
from attnsvm.experiments.paper.trajectories import problems as trajectories
from attnsvm.pipeline import cards
from attnsvm.publish.site import explorer

OPEN = "explorer.open(explorer.PRESETS.find(({ name }) => name === arguments[0]), false);"
PRESETS = {preset["name"]: preset for preset in explorer.presets()}


def rgb(colour):
    """Of "#rrggbb", from 0 to 1."""
    return np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / 255


def luminance(colour):
    """Of WCAG 2."""
    channels = rgb(colour)
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return linear @ (0.2126, 0.7152, 0.0722)


def contrast(one, other):
    low, high = sorted(map(luminance, (one, other)))
    return (high + 0.05) / (low + 0.05)


def opened(page, name, steps=0):
    page.execute_script(OPEN + "explorer.app.run.advance(arguments[1], 1e9); explorer.app.dirty = true;", name, steps)
    drawn(page)


def drawn(page):
    """Wait until what was changed is drawn, and its sentence written."""
    page.execute_async_script(
        "const done = arguments[0]; explorer.app.settled = -Infinity; explorer.app.dirty = true;"
        "requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(() => done())));"
    )


def state(page):
    return page.execute_script("return explorer.app.run.state")


def step(page):
    return page.execute_script("return explorer.app.run.step")


def waited_for(condition):
    for _ in range(100):
        if condition():
            return True
        time.sleep(0.05)
    return False


def sentence(page):
    return page.find_element("id", "sentence").text


def centre(page, key):
    """Where a handle stands, in pixels of the window."""
    script = """const box = document.querySelector(`[data-key="${arguments[0]}"] .touch`).getBoundingClientRect();
    return [box.left + box.width / 2, box.top + box.height / 2, box.width];"""
    return page.execute_script(script, key)


def test_the_page_is_one_file_and_the_same_every_time():
    text = explorer.page()
    assert text == explorer.page()
    assert len(text.encode()) < 200_000
    assert "{{" not in text


def test_the_page_asks_for_nothing_from_elsewhere(page):
    text = explorer.page()
    assert set(re.findall(r"https?://[^\s\"'`]+", text)) == {"http://www.w3.org/2000/svg"}  # the name of a namespace
    assert not re.findall(r"@import|<link(?![^>]*data:,)|\ssrc=|fetch\(|XMLHttpRequest|url\((?!#)", text)
    assert page.execute_script("return performance.getEntriesByType('resource').length") == 0


@pytest.mark.parametrize(("name", "module"), [("trajectories", trajectories), ("hyperplanes", hyperplanes)])
def test_the_planar_figures_are_those_of_the_cards(name, module):
    settings = {key: setting["value"] for key, setting in cards.read(name).settings["problems"].items()}
    drawn_ = module.problems(module.cells(settings)[0], settings)
    here = PRESETS[name]["state"]
    for key in ("tokens", "queries", "labels", "head"):
        np.testing.assert_array_equal(here[key], getattr(drawn_, key)[0])


@pytest.mark.parametrize("name", PRESETS)
def test_every_example_goes_to_the_direction_it_shows(page, name):
    opened(page, name, 5000)
    now = page.execute_script("return explorer.app.now")
    assert now["own"]["status"] == "solved"
    values = [one["value"] for one in now["correlations"]]
    assert values[0] > 0.999
    if len(values) > 1:
        assert values[1] < 0.95, "the Frobenius solution is another one, or the example shows nothing"
    best = now["selected"] == now["best"]
    assert best == (name != "trap")
    assert ("the best ones" if best else "not the best, but locally optimal") in sentence(page)
    assert "from the certified max-margin solution" in sentence(page)
    ringed = page.execute_script("return document.querySelectorAll('.ring[visibility=visible]').length")
    assert ringed == sum(map(sum, now["supports"])) > 0
    assert PRESETS[name]["hint"] == page.find_element("id", "hint").text


def test_curves_and_bands_end_in_the_same_place(page):
    """What is drawn says what is computed: the last point of each curve lies at its mark on the rim."""
    opened(page, "hyperplanes", 100_000)
    script = """
    const at = (e) => e.getAttribute('transform').split(/[( )]/).slice(1, 3).map(Number);
    return [...document.querySelectorAll('.tip')].map(at).map(([x, y], i) => {
      const [a, b] = at(document.querySelectorAll('.goal')[i]); return Math.hypot(x - a, y - b); });"""
    assert max(page.execute_script(script)) < 6  # of 784 units across the disc


def mouse(page, kind, x, y):
    page.execute_cdp_cmd("Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1})


def test_a_token_and_the_handles_follow_the_mouse(page):
    opened(page, "trap", 50)
    for key, read in (
        ("t0,1", lambda s: s["tokens"][0][1]),
        ("query1", lambda s: s["queries"][1]),
        ("head0", lambda s: s["head"]),
    ):
        before, (x, y, _) = state(page), centre(page, key)
        mouse(page, "mousePressed", x, y)
        mouse(page, "mouseMoved", x - 30, y + 40)
        mouse(page, "mouseReleased", x - 30, y + 40)
        drawn(page)
        after = state(page)
        assert read(before) != read(after)
        assert read(before | {"step": 0}) != read(after)
        if key == "t0,1":
            moved = np.subtract(read(after), read(before))
            assert max(moved) < 0
            assert centre(page, key)[:2] == pytest.approx([x - 30, y + 40], abs=1.5)
        else:
            assert np.linalg.norm(read(after)) == pytest.approx(np.linalg.norm(read(before)))
    assert waited_for(lambda: step(page) == 50), "as far as it had gone"
    drawn(page)
    assert "°" in page.find_element("id", "sentence").text
    assert page.find_element("id", "line1").get_attribute("d").count("L") > 5, "the panel shows its course"


def test_the_sentence_says_what_the_panel_says(page):
    """In every frame: what is read aloud may come later, what is seen may not."""
    script = """const [done] = arguments, found = []; explorer.open(explorer.PRESETS[0], true);
    const text = (id) => document.getElementById(id).textContent;
    const big = () => document.querySelector("#first .big").textContent;
    const look = () => { found.push([text("sentence"), big(), text("step")]);
      if (found.length < 90) requestAnimationFrame(look); else { explorer.play(false); done(found); } };
    requestAnimationFrame(look);"""
    found = page.execute_async_script(script)
    angles = [
        (float(told[1]), float(np.degrees(np.arccos(float(big)))))
        for said, big, _ in found
        if (told := re.search(r"is ([\d.]+)° from", said)) and re.fullmatch(r"-?0?\.\d+", big)
    ]
    assert len({told for told, _ in angles if told > 5}) > 3
    for told, shown in angles:
        assert told == pytest.approx(shown, abs=0.06 * shown + 0.2) or shown < 5, "rounded to two digits"


def test_a_token_follows_a_finger_on_a_phone(page):
    page.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride", {"width": 360, "height": 740, "deviceScaleFactor": 2, "mobile": True}
    )
    page.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})
    try:
        opened(page, "trap")
        drawn(page)
        page.execute_script("document.getElementById('plane').scrollIntoView({ block: 'center' })")
        before, (x, y, width) = state(page), centre(page, "t1,1")
        assert width >= 40, "wide enough for a finger"
        page.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
        page.execute_cdp_cmd(
            "Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [{"x": x + 20, "y": y - 25}]}
        )
        page.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        moved = np.subtract(state(page)["tokens"][1][1], before["tokens"][1][1])
        assert moved[0] > 0 < moved[1]
        assert page.execute_script("return document.documentElement.scrollWidth") <= 360
    finally:
        page.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})
        page.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def press(page, key, code=0, **more):
    for kind in ("keyDown", "keyUp"):
        page.execute_cdp_cmd(
            "Input.dispatchKeyEvent", {"type": kind, "key": key, "windowsVirtualKeyCode": code, **more}
        )


def focus(page, key):
    page.execute_script('document.querySelector(`[data-key="${arguments[0]}"]`).focus()', key)


def test_everything_is_reached_by_keys(page):
    opened(page, "trap")
    reached = page.execute_script(
        "return [...document.querySelectorAll('#plane [tabindex]')].map((e) => e.dataset.key)"
    )
    assert len(reached) == 6 + 2 + 1
    before = state(page)
    focus(page, "t0,0")
    press(page, "ArrowRight", 39)
    press(page, "ArrowUp", 38)
    focus(page, "query0")
    press(page, "ArrowUp", 38)
    drawn(page)
    after = state(page)
    assert (np.subtract(after["tokens"][0][0], before["tokens"][0][0]) > 0).all()
    turned = np.degrees(np.diff([np.arctan2(*reversed(s["queries"][0])) for s in (before, after)]))[0]
    assert turned % 360 == pytest.approx(2)
    focus(page, "t0,2")
    press(page, "Delete", 46)
    assert len(state(page)["tokens"][0]) == 2
    page.execute_script("document.activeElement.blur()")
    press(page, " ", 32)
    assert page.execute_script("return explorer.app.playing")
    assert waited_for(lambda: step(page) > 5)
    press(page, " ", 32)
    assert not page.execute_script("return explorer.app.playing")


def test_who_does_not_see_the_page_hears_it(page):
    opened(page, "hyperplanes", 2000)
    named = page.execute_script(
        "return [...document.querySelectorAll('button, input, select, [tabindex], svg:not([aria-hidden])')]"
        ".filter((e) => !(e.getAttribute('aria-label') || e.textContent.trim() || e.closest('label')))"
        ".map((e) => e.outerHTML)"
    )
    assert named == []
    label = page.execute_script("return document.querySelector('[data-key=\"t0,0\"]').getAttribute('aria-label')")
    assert re.fullmatch(
        r"Token 1 of input 1 at 1\.00, 0\.50, score 1\.08, attention 1\.00, the best token, selected", label
    )
    assert page.find_element("id", "spoken").get_attribute("aria-live") == "polite"
    assert page.execute_script("return document.documentElement.lang") == "en"


def test_buttons_change_what_they_say(page):
    opened(page, "trajectories")
    click = lambda name: page.execute_script("document.getElementById(arguments[0]).click()", name)  # noqa: E731
    click("more")
    click("more")
    assert len(state(page)["tokens"]) == len(state(page)["queries"]) == len(state(page)["labels"]) == 4
    assert page.execute_script("return document.getElementById('more').disabled")
    click("fewer")
    assert len(state(page)["tokens"]) == 3
    for value in ("KQ", "W"):
        page.execute_script("document.querySelector(`input[value=${arguments[0]}]`).click()", value)
        assert state(page)["train"] == value
    page.execute_script("document.querySelector('input[value=spectral]').click()")
    assert state(page)["rule"] == "spectral"
    opened(page, "trajectories")
    for name, said in (("trap", "not the best, but locally optimal"), ("best", "the best ones")):
        click(name)
        page.execute_script("explorer.play(false); explorer.app.run.advance(3000, 1e9)")
        drawn(page)
        assert said in sentence(page)


def test_what_cannot_be_separated_is_said_and_proved(page):
    """A selected token between the two others of its input: no W separates it."""
    here = json.loads(json.dumps(PRESETS["trap"]["state"]))
    here["tokens"][0] = [[0.5, 0.5], [0.0, 0.0], [-0.5, -0.5]]
    here["start"]["W"] = [0.0] * 4
    script = "explorer.open({ name: '', state: arguments[0] }, false); const run = explorer.app.run;"
    answer = page.execute_script(script + "return explorer.solve(explorer.separation(run.problem, [1, 0]))", here)
    assert answer["status"] == "infeasible"
    assert answer["residual"] < 1e-10
    here["head"] = [1e-3, 1.0]
    here["tokens"][1] = [[0.0, 0.9], [0.0, 0.9], [0.3, -0.3]]  # the best token stands there twice
    page.execute_script(script, here)
    drawn(page)
    assert "No W separates these tokens from the others: a Farkas certificate proves it." in sentence(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_stand_out_in_light_and_in_dark(page, scheme):
    """4.5 to 1, as WCAG AA asks of text."""
    page.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    )
    names = ("paper", "card", "disc", "ink", "soft", "c1", "c2", "c3", "c4", "digit")
    style = """const style = getComputedStyle(document.documentElement);
    return arguments[0].map((name) => style.getPropertyValue(`--${name}`).trim())"""
    colour = dict(zip(names, page.execute_script(style, names), strict=True))
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    assert (luminance(colour["paper"]) > 0.5) == (scheme == "light")
    pairs = [(ground, word) for ground in ("paper", "card", "disc") for word in ("ink", "soft", "c1", "c2", "c3", "c4")]
    pairs += [("digit", f"c{k}") for k in (1, 2, 3, 4)]
    for one, other in pairs:
        assert contrast(colour[one], colour[other]) >= 4.5, (one, other)


def test_who_asks_for_stillness_gets_it(browser, address):
    """It plays by itself, unless the reader's system asks for reduced motion."""
    for wish in ("no-preference", "reduce"):
        browser.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-reduced-motion", "value": wish}]}
        )
        browser.get("about:blank")
        browser.get(address)
        assert browser.execute_script("return explorer.app.playing") == (wish != "reduce")
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
