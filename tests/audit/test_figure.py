"""The overview."""

from made_up import CLAIMS

from attnsvm.audit import Tables, audit
from attnsvm.audit.figure import WIDEST, draw
from attnsvm.audit.pages import measured
from attnsvm.audit.reading import GROUPS, UNTESTABLE
from attnsvm.files.store import load_csv, save_csv


def test_the_overview_draws_every_claim_and_its_verdict(folder):
    save_csv(folder / "claims.csv", audit(Tables(folder), CLAIMS))
    table = load_csv(folder / "claims.csv")
    figure = draw(table, {"width": 6.75, "font_size": 8})
    texts = [text.get_text() for text in figure.axes[0].texts]
    assert table.short.is_unique
    assert all(texts.count(short) == 1 for short in table.short)
    tested = table[table.verdict != UNTESTABLE]
    said = [measured(row) for row in tested.to_dict("records")]
    assert all(any(words in one for one in said) for words in tested.measured)
    counts = [f" ({count:,} instances)" for count in tested.instances]
    drawn_in_lines = " ".join(texts)
    assert all(one + count in drawn_in_lines for one, count in zip(said, counts, strict=True))
    assert max(map(len, texts)) <= WIDEST
    assert [text for text in texts if text in GROUPS.values()] == [GROUPS[group] for group in table.group.unique()]
    for verdict, count in table.verdict.value_counts().items():
        assert texts.count(verdict) == count
    # No two texts overlap, and none leaves the page.
    figure.draw_without_rendering()
    assert all(
        figure.bbox.contains(*corner) for text in figure.axes[0].texts for corner in text.get_window_extent().corners()
    )
    drawn = figure.axes[0].texts
    boxes = [text.get_window_extent() for text in drawn]
    overlaps = [
        (one.get_text(), other.get_text())
        for k, one in enumerate(drawn)
        for j, other in enumerate(drawn[:k])
        if boxes[k].overlaps(boxes[j])
    ]
    assert not overlaps
