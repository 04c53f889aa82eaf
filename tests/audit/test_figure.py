"""The overview: every claim on a line, its mark that of its verdict, and room for all of them."""

from itertools import combinations

import pandas as pd
import pytest

from attnsvm.audit.evaluation import GROUPS, HOLDS, WHOSE, by_kind, counts, said
from attnsvm.audit.figure import MARKS, columns, draw
from attnsvm.system.store import load_csv, save_csv

SETTINGS = {"width": 6.75, "font_size": 8}


@pytest.fixture(scope="module")
def table(audited, tmp_path_factory):
    path = tmp_path_factory.mktemp("audit") / "claims.csv"
    save_csv(path, audited)
    return load_csv(path)


@pytest.fixture(scope="module")
def drawn(table):
    """The axes, drawn once: its texts then know how large they are."""
    figure = draw(table, SETTINGS)
    figure.draw_without_rendering()
    return figure.axes[0]


def test_every_claim_stands_on_a_line_of_its_own(table, drawn):
    texts = [text.get_text() for text in drawn.texts]
    assert table.short.is_unique
    assert all(texts.count(short) == 1 for short in table.short[table.sharpens.isna()])
    kinds = [WHOSE[kind].capitalize() for kind in ("theorem", "print", "reading")]
    known = [*kinds, *list(GROUPS.values())[1:]]
    headings = [text.removesuffix(" (continued)") for text in texts if text.removesuffix(" (continued)") in known]
    assert list(dict.fromkeys(headings)) == known


def test_the_mark_beside_a_claim_is_that_of_its_verdict(table, drawn):
    at = {text.get_text(): text.get_position() for text in drawn.texts}
    marks = {tuple(line.get_xydata()[0].round(6)): line for line in drawn.lines if len(line.get_xydata()) == 1}
    first = table[table.sharpens.isna()]
    for row in first.itertuples():
        x, y = at[row.short]
        beside = [line for (mx, my), line in sorted(marks.items()) if abs(my - y) < 1e-6 and 0 < x - mx < 0.05]
        verdicts = [row.verdict, *table.verdict[table.sharpens == row.key]]
        assert [(line.get_marker(), line.get_color()) for line in beside] == [MARKS[verdict] for verdict in verdicts]
        assert all(line.get_markersize() < beside[0].get_markersize() for line in beside[1:])
    found = [f"{verdict}: {count}" for verdict, count in counts(first).items()]
    assert [text.get_text() for text in drawn.texts][: len(found)] == found
    key = " ".join(text.get_text() for text in drawn.texts[len(found) :])
    assert key.startswith("; ".join(f"{whose}: {said(of)}" for whose, of in by_kind(first).items()))


def overlaps(axes):
    """The pairs of texts that overlap, all of which are on the page."""
    boxes = [(text.get_text(), text.get_window_extent()) for text in axes.texts]
    assert all(axes.figure.bbox.contains(*corner) for _, box in boxes for corner in box.corners())
    return [(a, b) for (a, one), (b, other) in combinations(boxes, 2) if one.overlaps(other)]


def test_no_two_texts_overlap_and_none_leaves_its_column(drawn):
    assert not overlaps(drawn)


def rows(**counts):
    return pd.DataFrame(
        [
            {
                "group": group,
                "kind": "reading",
                "key": f"{group} {k}",
                "short": f"{group} {k}",
                "verdict": HOLDS,
                "sharpens": "",
            }
            for group, count in counts.items()
            for k in range(count)
        ]
    )


@pytest.mark.parametrize("counts", [{"paper": 1}, {"paper": 9}, {"paper": 3, "beyond": 20, "print": 2}])
def test_columns_keep_the_order_and_are_about_as_tall(counts):
    left, right = columns(rows(**counts))
    shorts = [row["short"] for column in (left, right) for _, own in column for row in own]
    assert shorts == rows(**counts).short.tolist()
    sizes = [sum(1 + len(own) for _, own in column) for column in (left, right)]
    assert abs(sizes[0] - sizes[1]) <= 3


def test_a_group_that_goes_on_in_the_second_column_says_so():
    left, right = columns(rows(paper=3, beyond=20, print=2))
    assert [heading for heading, _ in left] == [WHOSE["reading"].capitalize(), GROUPS["beyond"]]
    assert [heading for heading, _ in right] == [f"{GROUPS['beyond']} (continued)", GROUPS["print"]]
    left, right = columns(rows(paper=9, beyond=9))
    assert [heading for heading, _ in left + right] == [WHOSE["reading"].capitalize(), GROUPS["beyond"]]
