"""What the site is put together from: colours, pictures, links, sentences."""

import base64
import io
import re
import sys
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from attnsvm.errors import UserError
from attnsvm.plots import style
from attnsvm.publish.site import build, colours, manuscript, moving, pages, screen
from attnsvm.publish.site.links import Links, source_page

OURS = (style.BLUE, style.VERMILLION, style.GREEN, style.ORANGE, style.SKY, style.PURPLE)


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


def test_oklab_is_the_one_of_its_author():
    """His table of XYZ colours has no sRGB in it: white, black and the primaries as CSS Color 4 has them."""
    given = {"#ffffff": (1, 0, 0), "#000000": (0, 0, 0), "#ff0000": (0.6280, 0.2249, 0.1258)}
    given |= {"#00ff00": (0.8664, -0.2339, 0.1795), "#0000ff": (0.4520, -0.0325, -0.3115)}
    for colour, expected in given.items():
        np.testing.assert_allclose(colours.oklab(rgb(colour)), expected, atol=1e-4)
        np.testing.assert_allclose(colours.from_oklab(colours.oklab(rgb(colour))), rgb(colour), atol=1e-6)


def test_light_becomes_dark_and_dark_light_in_their_order():
    greys = [f"#{value:02x}{value:02x}{value:02x}" for value in range(0, 256, 5)]
    turned = [luminance(colours.dark(grey)) for grey in greys]
    assert turned == sorted(turned, reverse=True)
    assert contrast(colours.dark("#000000"), colours.dark("#ffffff")) > 12


@pytest.mark.parametrize("colour", OURS)
def test_our_colours_stand_out_from_a_dark_page_in_their_hue(colour):
    assert contrast(colours.dark(colour), colours.dark("#ffffff")) > 3, "what WCAG asks of graphics"

    def hue(of):
        return np.degrees(np.arctan2(*colours.oklab(rgb(of))[:0:-1]))

    assert abs((hue(colour) - hue(colours.dark(colour)) + 180) % 360 - 180) < 15, "cut off where no screen shows it"


def drawn(pixels=False, many=False):
    with style.canvas({}, height=0.5) as figure:
        axes = figure.subplots()
        axes.plot([0, 1, 2], [0.123456789, 1, 0], color=style.BLUE, marker="o", label="a line")
        if many:
            axes.scatter(range(20), np.linspace(0, 2, 20), color=style.ORANGE)
        axes.fill_between([0, 1], 0, 1, color=style.GREEN, alpha=0.3)
        axes.fill_between([1, 2], 0, 1, facecolor=style.GREEN, hatch="//")
        if pixels:
            axes.imshow([[0.0, 1.0], [0.5, 0.2]], cmap="cividis")
        axes.set_xlabel("$x$")
        axes.legend()
    return style.rendered(figure, "svg").decode()


def test_a_page_is_made_lean_but_not_its_code():
    code = 'a = "class="reference internal"\n    <span>b</span>'
    menu = '<li class="toctree-l1 current">\n  <a class="reference internal" href="#">x</a><li class="toctree-l2">'
    lean = '<li class="current">\n<a href="#">x</a><li>'
    assert build._lean(f"{menu}<pre><span></span>{code}</pre>{menu}") == f"{lean}<pre>{code}</pre>{lean}"
    style = ".toc-tree a.reference, .sidebar-tree .toctree-l1>.reference {}"
    expected = ".toc-tree a:is(a,.reference), .sidebar-tree :is(.sidebar-tree>ul>li,.toctree-l1)>:is(a,.reference) {}"
    assert build._of_lean(style) == expected


SVG, XLINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}"


def seen(svg):
    """How many letters and marks a picture has, and how many lines and areas; marks may be at the corners of a path."""
    root = ElementTree.fromstring(svg)
    parents = {child: parent for parent in root.iter() for child in parent}
    named = {path.get("id"): path.get("d") for path in root.iter(f"{SVG}path") if path.get("id")}
    uses = [use for use in root.iter(f"{SVG}use") if parents[use].tag != f"{SVG}marker"]
    marks = sum(bool(named[(use.get("href") or use.get(f"{XLINK}href"))[1:]]) for use in uses)
    of_marks = re.findall(r"\.(c\d+)\{[^}]*marker:", svg)
    lines = [path for path in root.iter(f"{SVG}path") if not path.get("id")]
    with_marks = [path for path in lines if path.get("class") in of_marks]
    return marks + sum(len(places(path.get("d"))) for path in with_marks), len(lines) - len(with_marks)


def test_a_picture_for_the_screen_is_smaller_and_has_the_same_marks():
    before = drawn(many=True)
    after = screen.for_screens(before)
    assert len(after) < 0.7 * len(before)
    assert seen(after) == seen(before) > (40, 5)
    assert screen.size(after) == screen.size(before) == (486, 243)
    assert set(re.findall(r'(?:href="#|url\(#)([^")]+)', after)) <= set(re.findall(r'\bid="([^"]+)"', after))
    assert not re.findall(
        r'style="|<!--|\d\.\d{3}', re.sub(r"scale\([^)]*\)|<style>.*?</style>", "", after, flags=re.S)
    )


def places(d):
    """The points of a path that a browser would come to."""
    found, here, start = [], np.zeros(2), np.zeros(2)
    for letter, text in re.findall(r"([a-zA-Z])([^a-zA-Z]*)", d):
        given = [float(x) for x in re.findall(r"-?[\d.]+", text)]
        match letter.lower():
            case "z":
                here = start
                continue
            case "h":
                steps = np.array([[x, 0] for x in given])
            case "v":
                steps = np.array([[0, y] for y in given])
            case _:
                steps = np.reshape(given, (-1, 2))
        size = {"q": 2, "c": 3}.get(letter.lower(), 1)
        for part in np.split(steps, len(steps) // size):
            own = here + part if letter.islower() else part
            here = own[-1]
            found += list(own)
        start = found[-len(steps)] if letter.lower() == "m" else start
    return np.array(found)


def test_coordinates_move_by_less_than_anybody_sees():
    one, other = (
        re.findall(r'<path [^>]*?\bd="([^"]*)"[^>]*?(?:scale\(([\d.]+)\)"/>|>)', text.replace("\n", " "))
        for text in (screen.SPACE.sub("", drawn()), screen.for_screens(drawn()))
    )
    assert len(one) == len(other) > 20
    for (before, large), (after, small) in zip(one, other, strict=True):
        shape, same = places(before) * float(large or 1), places(after) * float(small or 1)
        most = 0.07 if large else 0.005  # of a letter 100 points high, and of the others as they are
        assert np.abs(shape - same).max() <= most


def test_a_path_in_short_steps():
    path = "M 1 2 L 1 5.5 L 4 5.5 L 3 5 z M 0 0 Q 1 1 2 0 Q 3 -1 4 0"
    assert screen._relative(path) == "m1 2v3.5h3l-1-0.5zm-1-2q1 1 2 0 1-1 2 0"


def test_groups_that_say_nothing_go():
    text = '<g><g class="c0"><g/><path/></g><g><use/></g></g>'
    assert screen._without_bare_groups(text) == '<g class="c0"><path/></g><use/>'


def test_marks_of_one_style_are_a_group_unless_each_shines_through():
    marks = '<use href="#n1" x="1" class="c0"/><use href="#n1" x="2" class="c0"/><use href="#n1" x="2" class="c1"/>'
    for rule, expected in (("fill-opacity: 0.2", 1), ("opacity: 0.2", 0), ("fill: red; opacity: 0.2", 0)):
        text = screen.MARKS.sub(lambda found, rule=rule: screen._together(found, {rule: "c0"}), marks)
        assert text.count("<g") == text.count("</g>") == expected
        assert text.count("<use") == 3


def test_many_marks_are_the_corners_of_a_path():
    at = [(1, 2), (1, 2), (4.25, 2), (4.25, -1.5), (0.1, 3), (9, 9), (8, 8), (7, 0.07)]
    marks = [f'<use href="#n" x="{x}" y="{y}" class="c0"/>' for x, y in at]
    styles = {"fill: red; opacity: 0.2": "c0"}
    assert screen.MANY.sub("", "".join(marks[1:])) == "".join(marks[1:])
    one, two = (screen.MANY.sub(lambda found: screen._on_a_path(found, styles), "".join(marks)) for _ in "12")
    assert styles.pop("fill: none; marker: url(#nc0)") == "c1"
    marker, path, drawn = re.fullmatch(r'(<marker id="nc0".*</marker>)(<path d="(.*)" class="c1"/>)', one).groups()
    assert '<use href="#n" class="c0"/>' in marker
    assert two == path, "the same mark is described once"
    np.testing.assert_allclose(places(drawn), at)


def test_neighbours_that_are_cut_off_at_the_same_edge_are_a_group():
    text = '<path d="m0" clip-path="url(#a)" class="c0"/><g clip-path="url(#a)"><use/></g>'
    text += '<path d="m1" clip-path="url(#a)"/>'
    other = '<path d="m2" class="c1" clip-path="url(#b)"/><g clip-path="url(#a)"><use/></g><path d="m3"/>'
    expected = '<g clip-path="url(#a)"><path d="m0" class="c0"/><use/><path d="m1"/></g>'
    assert screen._with_few_clips(text + other) == expected + other


def test_every_colour_of_the_dark_picture_is_that_of_the_light_one_turned():
    after = screen.for_screens(drawn())
    light = dict(re.findall(r"(--\w{6}):(#\w{6})", re.search(r"^svg\{.*\}$|svg\{[^}]*\}", after)[0]))
    dark = dict(re.findall(r"(--\w{6}):(#\w{6})", re.search(r"svg:target\{[^}]*\}", after)[0]))
    assert style.BLUE.lower() in light.values()
    assert dark == {name: colours.dark(colour) for name, colour in light.items()}
    used = set(re.findall(r"var\((--\w{6})\)", after))
    assert used <= set(light)
    rules = re.search(r"<style>.*?</style>", after, re.S)[0]
    assert not re.findall(r"#[0-9a-f]{6}\b", after.replace(rules, ""))


def test_pixels_are_there_for_both_grounds():
    after = screen.for_screens(drawn(pixels=True))
    found = re.findall(r'style="display:var\(--(\w+)\)"[^>]*base64,([^"]*)"', after)
    assert [mode for mode, _ in found] == ["light", "dark"]
    light, dark = (
        np.asarray(Image.open(io.BytesIO(base64.b64decode("".join(data.split())))).convert("RGBA")) for _, data in found
    )
    np.testing.assert_array_equal(dark[..., :3], colours.darkened(light[..., :3]))
    np.testing.assert_array_equal(dark[..., 3], light[..., 3])


def test_a_picture_without_a_size_is_refused():
    with pytest.raises(ValueError, match="no viewBox"):
        screen.size("<svg>")


@pytest.fixture
def course():
    """Two inputs of two tokens; W(k) z_i = k (1, i) for 100 steps."""
    rows = [("trajectory", "W", i, np.nan, k, k, i * k) for i in (1, 2) for k in range(101)]
    rows += [("trajectory", "KQ", i, np.nan, k, -k, k) for i in (1, 2) for k in range(101)]
    rows += [("svm_direction", "W", i, np.nan, np.nan, 3, 4) for i in (1, 2)]
    rows += [("optimal_token", None, i, 1, np.nan, 1, 0) for i in (1, 2)]
    rows += [("token", None, i, 2, np.nan, -1, 0) for i in (1, 2)]
    return pd.DataFrame(rows, columns=["kind", "parametrisation", "input", "token", "step", "x", "y"])


def test_the_moving_picture_ends_where_the_run_ends(course):
    text = moving.picture(course)
    ElementTree.fromstring(f"<svg>{text}</svg>")
    assert text == moving.picture(course)
    heads = re.findall(r'class="m(\d) head" r="4" transform="translate\(([\d.]+) ([\d.]+)\)"', text)
    for number, x, y in heads:
        end = np.array([100, 100 * int(number)])
        expected = moving.SIZE / 2 + moving.RIM * end / (1 + np.hypot(*end)) * (1, -1)
        np.testing.assert_allclose([float(x), float(y)], expected, atol=0.06)
        assert f"to{{transform:translate({x}px,{y}px)}}" in text
    assert [number for number, *_ in heads] == ["1", "2"]


def test_the_glow_is_the_softmax_of_the_logits(course):
    text = moving.picture(course)
    frames = {
        name: [float(value) for value in re.findall(r"scale\(([\d.]+)\)", body)]
        for name, body in re.findall(r"@keyframes (m1t\d)g\{((?:[^{}]*\{[^{}]*\})*)\}", text)
    }
    steps = moving._steps(100)
    assert steps[0] == 0
    assert steps[-1] == 100
    best = 1 / (1 + np.exp(-2.0 * np.array(steps)))  # the logits of the two tokens are k and −k
    np.testing.assert_allclose(np.square(frames["m1t0"]), best, atol=2e-3)
    np.testing.assert_allclose(np.square(frames["m1t1"]), 1 - best, atol=2e-3)


@pytest.fixture
def links(tmp_path):
    own = "figures/gallery/pretrained.png", "attnsvm/experiments/real/pretrained"  # of a figure that a run leaves out
    pages = "docs/one.md", "docs/plot.png", "config/config.yaml", "figures/README.md", "README.md", ".ci/run"
    for name in (*pages, *own):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    return Links(
        tmp_path, {"docs/one.md", "README.md"}, lambda name, text, page: f"<{name}|{text}|{page}>", ["pretrained"]
    )


@pytest.mark.parametrize(
    ("page", "text", "expected"),
    [
        ("docs/one.md", "[a](../README.md#b)", "[a](../README.md#b)"),
        ("README.md", "[a](docs/one.md)", "[a](docs/one.md)"),
        ("docs/one.md", "[`a` b](../config/config.yaml)", "[`a` b](../source/config/config.yaml.md)"),
        ("README.md", "[a](config)", "[a](source/config.md)"),
        ("README.md", "[a](figures/README.md)", "[a](gallery.md)"),
        ("README.md", "[a](figures/README.md#cone)", "[a](gallery/cone.md)"),
        ("README.md", "[a](figures/README.md#pretrained)", "[a](gallery.md)"),
        ("docs/one.md", "[a](../figures/gallery/cone.png)", "[a](../gallery/cone.md)"),
        ("README.md", "![a](figures/gallery/cone.png)", "<cone|a|README.md>"),
        ("README.md", "![a](figures/gallery/pretrained.png)", "![a](figures/gallery/pretrained.png)"),
        (
            "docs/one.md",
            "[a](../figures/gallery/pretrained.png)",
            "[a](../source/attnsvm/experiments/real/pretrained.md)",
        ),
        ("docs/one.md", "![a](plot.png)", "![a](plot.png)"),
        ("README.md", "[a](https://x.org) [b](#c)", "[a](https://x.org) [b](#c)"),
        ("README.md", "`[a](no.md)`\n```\n[b](no.md)\n```\n", "`[a](no.md)`\n```\n[b](no.md)\n```\n"),
        ("README.md", "`a` [b](config) `c`", "`a` [b](source/config.md) `c`"),
    ],
)
def test_where_links_lead(links, page, text, expected):
    assert links.rewritten(page, text) == expected


def test_what_links_show_is_remembered_and_what_is_not_there_is_refused(links):
    links.rewritten("docs/one.md", "[a](../config/config.yaml) [b](../.ci/run)")
    assert links.shown == {"config/config.yaml", ".ci/run"}
    assert source_page(".github/workflows/ci.yml") == "source/github/workflows/ci.yml.md"
    with pytest.raises(UserError, match=r"docs/one\.md: the link to \.\./no\.md leads nowhere"):
        links.rewritten("docs/one.md", "[a](../no.md)")


WRITTEN = """<!DOCTYPE html><html><head><title>Where it goes</title><style>mtd{}</style></head><body>
<style>body{}</style><p><a href="index.html">the site</a> · <a href="attnsvm.pdf">PDF</a></p><h1>Where it goes</h1>
<p>Abstract.</p><h2>1 First</h2><figure><img src="figures/cone.svg" alt="a &amp; b" loading="lazy"></figure>
<section><h2 id="loc-1">2 <em>A_B</em></h2><p>End.</p></section></body></html>"""


def test_the_manuscript_becomes_a_page_with_its_sections_and_the_figures_of_the_site():
    text = manuscript.page(WRITTEN, lambda name, said: f"<{name}|{said}>")
    assert re.findall(r"^#.*$", text, re.MULTILINE) == ["# Where it goes", "## 1 First", r"## 2 A\_B"]
    raw = re.findall(r"^`{7}\{raw\} html\n(.*?)\n`{7}$", text, re.MULTILINE | re.DOTALL)
    assert [part.count("<div") - part.count("</div") for part in raw] == [0, 0, 0]
    assert "<cone|a & b>" in raw[1]
    assert raw[2].startswith('<div class="manuscript"><span id="loc-1"></span>')
    assert "mtd{}" in text
    assert not re.findall("body{}|the site|<h1|section", text)


@pytest.mark.parametrize(
    ("text", "first"),
    [
        (
            "One instance (n = 2, seed 1.5), followed\nas `W(k) z_i`. Two.",
            "One instance (n = 2, seed 1.5), followed as W(k) z_i.",
        ),
        ("Shares, with 95 % intervals. (a) Left.", "Shares, with 95 % intervals."),
        ("Only one", "Only one"),
    ],
)
def test_the_first_sentence(text, first):
    assert pages.first_sentence(text) == first


def test_a_tag_in_a_card_is_text():
    """Another one would end the page that shows the card."""
    text = "values <script>alert(1)</script> below `a < b` and $x <y$, ``a`<b`` and 1 < 2"
    assert pages.prose(text) == (
        "values &lt;script>alert(1)&lt;/script> below `a < b` and $x <y$, ``a`<b`` and 1 &lt; 2"
    )
    assert pages.prose("a > b") == "a > b"


def test_a_claim_without_the_marks_of_mathematics():
    assert pages.plain(r"separable from $d = \max(T-1, n)$ on") == "separable from d = max(T−1, n) on"
    assert pages.plain(r"its own $\ell_p$") == "its own ℓp"
    assert pages.plain("nothing") == "nothing"


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("a head that turns", "A head that turns."),
        ("is it so?", "Is it so?"),
        ("v trained together with W", "v trained together with W."),
        ("`W` alone", "`W` alone."),
    ],
)
def test_a_title_as_a_sentence(title, expected):
    assert pages.sentence(title) == expected


def test_without_sphinx_one_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "sphinx.application", None)
    with pytest.raises(UserError, match=r"^the site needs Sphinx: install attnsvm\[site\], or run make install$"):
        build.site(".", {}, {}, "out")
