"""codecheck.yml, made from the cards and CITATION.cff by `make docs`: the files that who checks the paper compares.

The form is that of CODECHECK (https://codecheck.org.uk/spec/config/1.0). Who checks adds the keys codechecker, report,
summary and check_time: they are not ours to write.
"""

from pathlib import Path

import yaml

from attnsvm.pipeline import cards
from attnsvm.publish.documents import codemeta
from attnsvm.reading import yaml_file

SPECIFICATION = "https://codecheck.org.uk/spec/config/1.0"
HEAD = (
    "# Made by `make docs`: what `make figures` builds. Who checks adds codechecker, report, summary and check_time.\n"
)


def text(root: Path) -> str:
    """The content of codecheck.yml for a repository."""
    cited = yaml_file(root / "CITATION.cff")
    paper = cited["references"][0]
    whole = [
        {"file": "results/audit/paper.csv", "comment": "every claim of these figures, its numbers and its verdict"}
    ]
    figures = [card for card in cards.figures() if card.section == "paper"]
    found = {
        "version": SPECIFICATION,
        "paper": {
            "title": paper["title"],
            "authors": [{"name": codemeta.person(one)["name"]} for one in paper["authors"]],
            "reference": paper["url"],
        },
        "repository": codemeta.repository(cited),
        "manifest": [{"file": f"figures/{card.name}.csv", "comment": card.title} for card in figures] + whole,
    }
    kept = {key: value for key, value in found.items() if value}
    return HEAD + yaml.safe_dump(kept, sort_keys=False, allow_unicode=True, width=140, explicit_start=True)
