"""The overview."""

from made_up import CLAIMS

from attnsvm.audit import Tables, audit
from attnsvm.audit.figure import draw
from attnsvm.files.store import load_csv, save_csv


def test_the_overview_draws_every_claim_and_its_verdict(folder):
    save_csv(folder / "claims.csv", audit(Tables(folder), CLAIMS))
    table = load_csv(folder / "claims.csv")
    figure = draw(table, {"width": 6.75, "font_size": 8})
    texts = [text.get_text() for text in figure.axes[0].texts]
    assert table.short.is_unique
    assert all(texts.count(short) == 1 for short in table.short)
    for verdict, count in table.verdict.value_counts().items():
        assert texts.count(verdict) == count
    # No two texts of a line overlap.
    figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in figure.axes[0].texts]
    for one in range(len(boxes)):
        assert sum(boxes[one].overlaps(other) for other in boxes) == 1
