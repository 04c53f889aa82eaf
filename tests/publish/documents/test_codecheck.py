"""codecheck.yml: what a checker compares, from the cards."""

import yaml
from harness import ROOT

from attnsvm.pipeline import targets
from attnsvm.pipeline.configuration import resolve
from attnsvm.pipeline.plan import Plan
from attnsvm.publish.documents import codecheck


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
