"""codemeta.json, made from CITATION.cff and pyproject.toml by `make docs`: what these do not say is not said."""

import json
import tomllib
from pathlib import Path

from attnsvm.errors import require
from attnsvm.reading import yaml_file

NAMES = ("given-names", "name-particle", "family-names", "name-suffix", "name", "alias")  # of a person, or of a group
UNSET = "github.com/OWNER/"  # in the address that a copy of no repository has


def text(root: Path) -> str:
    """The content of codemeta.json for a repository, by the crosswalk of CodeMeta 3.0."""
    cited = yaml_file(root / "CITATION.cff")
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    found = {
        "@context": "https://w3id.org/codemeta/3.0",
        "@type": "SoftwareSourceCode",
        "name": project["name"],
        "description": project["description"],
        "version": str(cited["version"]),
        "license": license_url(cited),
        "codeRepository": repository(cited),
        "author": [person(one) for one in cited["authors"]],
        "keywords": project.get("keywords"),
        "programmingLanguage": "Python",
        "runtimePlatform": f"Python {project['requires-python']}",
        "datePublished": str(cited["date-released"]) if "date-released" in cited else None,
        "identifier": cited.get("doi"),
        "referencePublication": [publication(one) for one in cited.get("references", ())] or None,
    }
    return json.dumps({key: value for key, value in found.items() if value}, indent=2, ensure_ascii=False) + "\n"


def repository(cited: dict) -> str:
    """The address of the repository; "" while nobody has set it with `make address`."""
    address = cited.get("repository-code", "")
    return "" if UNSET in address else address


def license_url(cited: dict) -> str:
    """The address of the licence that CITATION.cff names by its SPDX word."""
    return f"https://spdx.org/licenses/{cited['license']}"


def person(author: dict) -> dict:
    """An author of CITATION.cff in the words of schema.org; one with a single name is a group.

    Raises:
        UserError: a name is no text, as YAML takes Null and No, or there is none.
    """
    words = {word: author.get(word, "") for word in NAMES}
    for word, text in words.items():
        require(isinstance(text, str), f"CITATION.cff: {word}: expected a text, got {text!r}; put it in quotes")
    given, *family, suffix, organised, alias = words.values()
    name = organised or _joined(given, *family, suffix) or alias
    require(bool(name), "CITATION.cff: an author has no name: give family-names, name or alias")
    found = {
        "@type": "Organization" if organised else "Person",
        "name": name,
        "givenName": given,
        "familyName": _joined(*family),
        "honorificSuffix": suffix,
        "@id": author.get("orcid"),
        "email": author.get("email"),
    }
    return {key: value for key, value in found.items() if value}


def _joined(*names: str) -> str:
    return " ".join(name for name in names if name)


def publication(reference: dict) -> dict:
    """A reference of CITATION.cff in the words of schema.org."""
    found = {
        "@type": "ScholarlyArticle",
        "@id": reference.get("url"),
        "name": reference["title"],
        "author": [person(one) for one in reference["authors"]],
        "identifier": next((one["value"] for one in reference.get("identifiers", ())), None),
        "datePublished": str(reference["year"]) if "year" in reference else None,
    }
    return {key: value for key, value in found.items() if value}
