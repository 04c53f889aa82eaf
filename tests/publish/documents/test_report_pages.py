"""The pages inside the report: picture, caption and claims together; no link out of the audit."""

import base64
import csv
import re

import pytest
from PIL import Image

from attnsvm.publish.documents import pictures, report

CLAIMS = [
    {"figure": "one", "statement": "W < K.", "verdict": "holds", "key": "a"},
    {"figure": "two", "statement": "No.", "verdict": "fails", "key": "b"},
    {"figure": "two", "statement": "Yes.", "verdict": "holds", "key": "c"},
]
TEXTS = {
    name: {"title": f"what {name} is", "caption": f"Caption of `{name}`, 1 < 2."} for name in ("one", "two", "three")
}
LINKS = "".join(f'<a href="../../figures/{name}.png">{name}</a>' for name in ("one", "two", "two"))
CERTIFICATES = '<a href="#certificates">c</a><h2 id="certificates">C</h2>'
AUDIT = f'<html><body id="top"><h2>Claims</h2>{LINKS}{CERTIFICATES}</body></html>'


@pytest.fixture
def written(tmp_path):
    paths = {}
    for k, name in enumerate((*TEXTS, "audit")):
        paths[name] = str(tmp_path / f"{name}.png")
        Image.new("RGB", (40 + 2 * k, 20), (k, 0, 0)).save(paths[name])
    with open(tmp_path / "claims.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, CLAIMS[0])
        writer.writeheader()
        writer.writerows(CLAIMS)
    (tmp_path / "audit.html").write_text(AUDIT)
    outputs = {name: str(tmp_path / "pages" / f"{name}.html") for name in (*TEXTS, "audit")}
    report.write(paths, TEXTS, str(tmp_path / "claims.csv"), str(tmp_path / "audit.html"), outputs)
    return tmp_path


def test_a_figure_stands_with_its_caption_and_its_own_claims(written):
    page = (written / "pages/one.html").read_text()
    picture = base64.b64encode((written / "one.png").read_bytes()).decode()
    assert f'<img src="data:image/png;base64,{picture}"' in page
    assert "<figcaption>Caption of <code>one</code>, 1 &lt; 2.</figcaption>" in page
    assert "<h1>What one is</h1>" in page
    assert "W &lt; K." in page
    assert "Yes." not in page
    assert "What the audit says" not in (written / "pages/three.html").read_text()


def test_the_audit_carries_its_pictures_and_links_to_nothing_beside_it(written):
    page = (written / "pages/audit.html").read_text()
    assert set(re.findall(r'href="([^"]*)"', page)) == {"#figure-one", "#figure-two", "#certificates", "#top"}
    assert re.findall(r'<figure id="([^"]*)"', page) == ["figure-one", "figure-two"]
    assert page.count("data:image/png;base64,") == 3, "the overview and each linked figure once"
    assert page.index("<img") < page.index("<h2>Claims"), "the overview comes first"


def test_a_small_picture_has_half_the_size(written, tmp_path):
    (tmp_path / "small.png").write_bytes(pictures.small(written / "one.png"))
    assert Image.open(tmp_path / "small.png").size == (20, 10)


def test_the_first_page_counts_the_verdicts(written):
    found = report.summary(written / "claims.csv")
    assert found["verdicts"] == {"holds": 2, "fails": 1}
    assert [row["key"] for row in found["claims"]] == ["a", "b", "c"]
    assert report.summary(written / "missing.csv") == {"verdicts": {}, "claims": []}
