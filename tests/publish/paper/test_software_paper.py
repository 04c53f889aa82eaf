"""The software paper: the sections that its format asks for, its references both ways, its numbers looked up."""

import json
import re

import pytest
import yaml
from small import whole

from attnsvm.errors import UserError
from attnsvm.publish.paper import manuscript, software

SOURCE = (manuscript.ROOT / software.SOURCE).read_text("utf-8")
# https://joss.readthedocs.io/en/latest/paper.html, as of 2026
SECTIONS = ["Summary", "Statement of need", "State of the field", "Software design", "Research impact statement"]
SECTIONS += ["AI usage disclosure", "Acknowledgements", "References"]
HEAD = {"title", "tags", "authors", "affiliations", "date", "bibliography"}
WORDS = (750, 1750)
CALL = re.compile(r'\{\{ \w+\("([^"]+)"\) \}\}')
FOUND = {
    "scale": "paper",
    "numbers": {"a": {"value": 0.5, "digits": 2}, "b": {"value": None, "digits": 2}},
    "claims": [{"key": "c", "verdict": "holds"}],
}


def test_it_has_the_sections_and_the_head_that_the_format_asks_for():
    _, head, body = SOURCE.split("---\n", 2)
    assert set(yaml.safe_load(head)) == HEAD
    assert re.findall(r"^# (.+)$", body, re.MULTILINE) == SECTIONS
    for text in re.split(r"^# .+$", body, flags=re.MULTILINE)[1:-1]:
        assert text.strip()


def test_it_is_as_short_as_the_format_wants_it():
    assert WORDS[0] <= len(software.filled(SOURCE, everything(SOURCE)).split("---\n", 2)[2].split()) <= WORDS[1]


def everything(source):
    """A numbers.json with whatever the source asks for."""
    numbers = {key: {"value": 0.5, "digits": 2} for key in re.findall(r'n\("([^"]+)"\)', source)}
    claims = [{"key": key, "verdict": "holds in part"} for key in re.findall(r'verdict\("([^"]+)"\)', source)]
    return {"scale": "paper", "numbers": numbers, "claims": claims}


def test_what_only_its_authors_can_write_is_marked_in_its_section():
    _, head, body = SOURCE.split("---\n", 2)
    marked = {
        title: len(software.MARK.findall(text)) for title, text in re.findall(r"^# (.+)\n([^#]*)", body, re.MULTILINE)
    }
    assert {title: count for title, count in marked.items() if count} == {
        "Research impact statement": 1,
        "AI usage disclosure": 3,  # which tools, for what, and who verified: the journal's policy asks for each
        "Acknowledgements": 1,
    }
    assert len(software.MARK.findall(head)) == 3
    assert SOURCE.count("AUTHORS") == 8


def test_what_is_left_to_the_authors_is_listed(tmp_path):
    assert software.left("done\n") == ""
    said = software.left("a\n[AUTHORS: who] b [AUTHORS: when]\n").splitlines()
    assert said[1:] == ["  who", "  when"]
    assert "lacks 2 texts" in said[0]
    (tmp_path / "numbers.json").write_text(json.dumps(everything(SOURCE)))
    left = software.write(str(tmp_path / "numbers.json"), str(tmp_path / "paper.md"))
    assert left == software.left(SOURCE)
    assert "[AUTHORS: " in (tmp_path / "paper.md").read_text("utf-8")


def test_every_reference_is_cited_and_every_citation_is_there():
    entries = re.findall(r"^@\w+\{\s*([^,\s]+)\s*,", (manuscript.ROOT / software.REFERENCES).read_text(), re.MULTILINE)
    cited = re.findall(r"@([\w:-]+)", SOURCE.split("---\n", 2)[2])
    assert sorted(entries) == sorted(set(cited))


def test_its_numbers_are_looked_up():
    body = SOURCE.split("---\n", 2)[2]
    assert len(CALL.findall(body)) >= 8
    assert not re.findall(r"\d", re.sub(r"\{\{.*?\}\}|@\w+", "", body))
    found = whole()
    assert set(CALL.findall(body)) <= {*found["numbers"], *(claim["key"] for claim in found["claims"])}


def test_it_is_filled_with_numbers_and_verdicts():
    assert software.filled('It {{ verdict("c") }}: {{ n("a") }}.', FOUND) == "It holds: 0.50."
    assert "smoke" in software.filled("{% if smoke %}smoke{% endif %}", FOUND | {"scale": "smoke"})


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ('{{ n("x") }}', "there is no number 'x'"),
        ('{{ n("b") }}', "the number 'b' is not finite"),
        ('{{ verdict("x") }}', "there is no row of the audit 'x'"),
        ("{{ m }}", "'m' is undefined"),
    ],
)
def test_a_wrong_name_is_refused(line, sentence):
    with pytest.raises(UserError, match=f"^{software.SOURCE}: {sentence}"):
        software.filled(f"# A\n{line}\n", FOUND)
