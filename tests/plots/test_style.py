"""How every figure looks: our settings and nobody else's, the same bytes for the same figure."""

import os
import sys

import legible
import matplotlib
import pandas as pd
import pytest
from matplotlib.colors import to_rgba

from attnsvm.plots import style


def draw(settings=None):
    with style.canvas(settings or {}, height=0.5) as figure:
        axes = figure.subplots()
        axes.plot([0, 1], [0, 1], label="a line")
        axes.set(xlabel="$x$", ylabel="$y$")
        style.title(axes, "a", "a title")
        axes.legend()
    return figure


@pytest.mark.parametrize("kind", ["pdf", "png", "svg"])
def test_the_same_figure_gives_the_same_bytes(kind):
    first, second = (style.rendered(draw(), kind, dpi=80) for _ in range(2))
    assert first == second
    assert first.startswith({"pdf": b"%PDF", "png": b"\x89PNG", "svg": b"<?xml"}[kind])


def test_nothing_of_when_and_with_what_it_was_drawn_is_in_the_file():
    assert b"CreationDate" not in style.rendered(draw(), "pdf")
    assert b"Matplotlib" not in style.rendered(draw(), "pdf")
    assert b"Software" not in style.rendered(draw(), "png")
    assert not [word for word in (b"dc:date", b"Matplotlib", b"<metadata") if word in style.rendered(draw(), "svg")]


def test_the_users_own_settings_change_nothing_and_stay():
    expected = style.rendered(draw(), "png", dpi=80)
    with matplotlib.rc_context({"font.size": 30, "lines.linewidth": 9, "axes.facecolor": "red", "savefig.dpi": 10}):
        assert style.rendered(draw(), "png", dpi=80) == expected
        assert matplotlib.rcParams["font.size"] == 30
    assert matplotlib.rcParams["font.size"] != 30


@pytest.mark.parametrize("settings", [{"width": 5.0, "font_size": 7}, {"width": 3.5}])
def test_width_and_height_are_those_asked_for(settings):
    width, height = draw(settings).get_size_inches()
    assert width == settings["width"]
    assert height == pytest.approx(settings["width"] / 2)


def test_text_in_a_pdf_stays_text():
    assert b"/FontFile2" in style.rendered(draw(), "pdf")


ROWS = pd.DataFrame({"step": [1, 10], "value": [2.0, 3.0], "low": [1.0, 2.0], "high": [5.0, 4.0]})


def test_a_band_lies_around_its_line_in_the_same_colour():
    with style.canvas({}, height=0.5) as figure:
        axes = figure.subplots()
        style.band(axes, ROWS, "step", 0.25, color=style.GREEN, linestyle="--")
    (line,), (around,) = axes.lines, axes.collections
    assert line.get_xydata().tolist() == [[1, 2], [10, 3]]
    assert line.get_linestyle() == "--"
    corners = {tuple(corner) for corner in around.get_paths()[0].vertices.tolist()}
    assert corners >= {(1, 1), (1, 5), (10, 2), (10, 4)}
    assert to_rgba(line.get_color(), 0.25) == tuple(around.get_facecolor()[0])


@pytest.mark.parametrize("system", ["linux", "darwin"])
def test_all_kinds_together_are_the_same_bytes_as_one_by_one(monkeypatch, system):
    monkeypatch.setattr(style.sys, "platform", system)
    together = style.all_rendered(draw(), 80)
    assert list(together) == ["pdf", "png", "svg"]
    for kind, content in together.items():
        assert content == style.rendered(draw(), kind, 80)


@pytest.mark.skipif(sys.platform != "linux", reason="forks on Linux alone")
def test_where_the_process_of_the_pdf_ends_early_it_is_made_here(monkeypatch):
    own, render = os.getpid(), style.rendered
    expected = render(draw(), "pdf", 80)
    monkeypatch.setattr(style, "rendered", lambda *given: render(*given) if os.getpid() == own else os._exit(1))
    assert style.all_rendered(draw(), 80)["pdf"] == expected


def test_what_cannot_be_drawn_ends_with_its_error(monkeypatch):
    def fail(figure, kind, dpi):
        raise ValueError(f"no {kind}")

    monkeypatch.setattr(style, "rendered", fail)
    with pytest.raises(ValueError, match="no "):
        style.all_rendered(draw(), 80)


HEADLINE = ("Every rule has its own SVM", "holds", "o", style.GREEN)


def test_a_headline_stands_above_what_is_drawn_which_keeps_its_size():
    plain, headed = draw(), draw({"headline": HEADLINE})
    sheet = headed.get_figure(root=True)
    assert sheet.get_size_inches()[0] == plain.get_size_inches()[0]
    assert headed.bbox.height == pytest.approx(plain.bbox.height, rel=1e-3)
    above, below = sheet.subfigs
    assert below is headed
    assert above.texts[0].get_text() == HEADLINE[0]
    assert above.legends[0].get_texts()[0].get_text() == HEADLINE[1]
    assert legible.faults(headed, 6.75) == []
    assert style.rendered(headed, "png") == style.rendered(sheet, "png")


@pytest.mark.parametrize("width", [3.5, 5.0, 6.75])
def test_a_long_headline_goes_on_in_a_second_line_and_stays_clear_of_the_verdict(width):
    words = "rotary attention: does the theorem carry over, and what does rotation add to what can be separated?"
    headed = draw({"width": width, "headline": (words, "differs from print", "s", style.BLUE)})
    above = headed.get_figure(root=True).subfigs[0]
    text, note = above.texts[0], above.legends[0]
    assert text.get_text().replace("\n", " ") == words
    assert text.get_window_extent().x1 < note.get_window_extent().x0
    assert above.bbox.y0 <= text.get_window_extent().y0
    assert text.get_window_extent().y1 <= above.bbox.y1
