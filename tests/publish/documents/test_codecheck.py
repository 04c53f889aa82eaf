"""codecheck.yml: what a checker compares, from the cards; and authors, however CITATION.cff names them."""

import pytest
import yaml
from harness import ROOT

from attnsvm.errors import UserError
from attnsvm.pipeline import targets
from attnsvm.pipeline.configuration import resolve
from attnsvm.pipeline.plan import Plan
from attnsvm.publish.documents import codecheck, codemeta
from attnsvm.publish.paper import typesetting


def test_the_manifest_is_what_make_figures_builds():
    found = yaml.safe_load(codecheck.text(ROOT))
    assert found["version"] == "https://codecheck.org.uk/spec/config/1.0"
    assert found["paper"]["authors"][0]["name"] == "Davoud Ataee Tarzanagh"
    files = [one["file"] for one in found["manifest"]]
    assert files == [*(f"figures/{name}.csv" for name in targets.group("paper")), "results/audit/paper.csv"]
    assert {*files} <= {*Plan(resolve({}), {}).target("figures/paper")}
    assert all(one["comment"] for one in found["manifest"])


def test_it_says_nothing_that_is_the_checkers_to_say(tmp_path):
    cited = "version: 1.0.0\nrepository-code: https://github.com/OWNER/x\nreferences:\n"
    cited += "  - {title: A, url: https://example.org, authors: [{name: B}]}\n"
    (tmp_path / "CITATION.cff").write_text(cited)
    assert [*yaml.safe_load(codecheck.text(tmp_path))] == ["version", "paper", "manifest"]


NAMES = [
    ({"given-names": "Ada", "family-names": "Lovelace"}, "Ada Lovelace"),
    ({"given-names": "Ludwig", "name-particle": "van", "family-names": "Beethoven"}, "Ludwig van Beethoven"),
    ({"given-names": "Sammy", "family-names": "Davis", "name-suffix": "Jr."}, "Sammy Davis Jr."),
    ({"family-names": "Suharto"}, "Suharto"),
    ({"given-names": "Plato"}, "Plato"),
    ({"alias": "xkcd"}, "xkcd"),
    ({"name": "The attnsvm developers", "website": "https://example.org"}, "The attnsvm developers"),
]


@pytest.mark.parametrize(("author", "name"), NAMES)
def test_an_author_has_the_same_name_everywhere(author, name, tmp_path):
    cited = {"authors": [author], "version": "1.0.0", "repository-code": ""}
    cited["references"] = [{"title": "A", "url": "https://example.org", "authors": [author]}]
    (tmp_path / "CITATION.cff").write_text(yaml.safe_dump(cited))
    assert codemeta.person(author)["name"] == name
    assert typesetting.about(tmp_path)["authors"] == [name]
    assert yaml.safe_load(codecheck.text(tmp_path))["paper"]["authors"] == [{"name": name}]


def test_a_particle_belongs_to_the_name_of_the_family():
    assert codemeta.person(NAMES[1][0]) == {
        "@type": "Person",
        "name": "Ludwig van Beethoven",
        "givenName": "Ludwig",
        "familyName": "van Beethoven",
    }


@pytest.mark.parametrize(
    ("author", "sentence"),
    [
        ("{family-names: Null}", "family-names: expected a text, got None; put it in quotes"),
        ("{given-names: No, family-names: A}", "given-names: expected a text, got False; put it in quotes"),
        ("{affiliation: A}", "an author has no name: give family-names, name or alias"),
    ],
)
def test_a_name_that_is_none_is_a_sentence(author, sentence):
    with pytest.raises(UserError, match=f"^CITATION.cff: {sentence}$"):
        codemeta.person(yaml.safe_load(author))
