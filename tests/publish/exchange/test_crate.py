"""The description of a build for an archive: what the profile asks for is there, what nobody recorded is not."""

import hashlib
import json

import pytest
from harness import ROOT
from made_up import NAME, Built

from attnsvm.errors import UserError
from attnsvm.publish.documents import codemeta
from attnsvm.publish.exchange import crate
from attnsvm.publish.exchange.crate import AUDIT, PROFILES


@pytest.fixture(scope="module")
def described(tmp_path_factory):
    """The folder of a crate of a made-up figure, and its entities by their names."""
    folder = tmp_path_factory.mktemp("crate")
    made = Built(folder / "build")
    origin = made.folder / f"smoke/figures/{NAME}.json"
    told = json.loads(origin.read_text())
    told |= {"code": {"commit": "c" * 40, "sha256": "0" * 64}}
    told["packages"] |= {"snakemake": "9.0", "numpy": "2.4", "torch": "2.0+cpu", "scs": None}
    origin.write_text(json.dumps(told))
    crate.write(made.folder / "smoke", [NAME], folder / "crate")
    graph = json.loads((folder / "crate/ro-crate-metadata.json").read_text())["@graph"]
    return folder, {entity["@id"]: entity for entity in graph}


def named(value):
    return [one["@id"] for one in (value if isinstance(value, list) else [value])]


def types(entity):
    return {entity["@type"]} if isinstance(entity["@type"], str) else {*entity["@type"]}


def test_what_the_profiles_ask_for_is_there(described):
    """The MUSTs of RO-Crate 1.1, of Workflow RO-Crate 1.0, and of Process and Workflow Run Crate 0.5."""
    _, entities = described
    descriptor, root = entities["ro-crate-metadata.json"], entities["./"]
    assert named(descriptor["about"]) == ["./"]
    assert "https://w3id.org/ro/crate/1.1" in named(descriptor["conformsTo"])
    assert root["@type"] == "Dataset"
    for key in ("name", "description", "datePublished", "license", "hasPart", "author", "citation"):
        assert root[key], key
    assert set(named(root["conformsTo"])) == set(PROFILES)
    assert all(types(entities[one]) == {"CreativeWork"} and entities[one]["version"] for one in PROFILES)
    (workflow,) = named(root["mainEntity"])
    assert types(entities[workflow]) == {"File", "SoftwareSourceCode", "ComputationalWorkflow"}
    assert workflow in named(root["hasPart"])
    assert types(entities[named(entities[workflow]["programmingLanguage"])[0]]) == {"ComputerLanguage"}
    assert entities[workflow]["version"]
    action = entities[f"#{NAME}"]
    assert types(action) == {"CreateAction"}
    assert named(action["instrument"]) == [workflow]
    assert f"#{NAME}" in named(root["mentions"])
    assert action["startTime"] <= action["endTime"]


def test_every_name_in_it_is_described_and_every_file_is_there_with_its_sum(described):
    folder, entities = described

    def links(value):
        if isinstance(value, dict):
            yield from [value["@id"]] if set(value) == {"@id"} else links(list(value.values()))
        elif isinstance(value, list):
            for one in value:
                yield from links(one)

    outside = {"https://w3id.org/ro/crate/1.1", "https://bioschemas.org/profiles/ComputationalWorkflow/1.0-RELEASE"}
    for entity in entities.values():
        missing = {one for one in links([v for k, v in entity.items() if k != "@id"]) if one not in entities} - outside
        assert not {one for one in missing if not one.startswith("http")}, entity["@id"]
    files = [entity for entity in entities.values() if "File" in types(entity)]
    assert len(files) > 30
    for entity in files:
        content = (folder / "crate" / entity["@id"]).read_bytes()
        assert entity["encodingFormat"]
        if "sha256" in entity:
            assert entity["sha256"] == hashlib.sha256(content).hexdigest()
            assert entity["contentSize"] == str(len(content))
    here = {p.relative_to(folder / "crate").as_posix() for p in (folder / "crate").rglob("*") if p.is_file()}
    assert here == {entity["@id"] for entity in files} | {"ro-crate-metadata.json"}
    assert all("sha256" in entity for entity in files if entity["@id"].startswith(("figures/", "results/")))


def test_a_figure_has_its_inputs_its_settings_its_files_and_the_libraries(described):
    _, entities = described
    action = entities[f"#{NAME}"]
    assert {f"figures/{NAME}.{kind}" for kind in ("csv", "json", "pdf", "png", "svg")} == set(named(action["result"]))
    objects = named(action["object"])
    assert f"results/{NAME}/measures.parquet" in objects
    assert entities[f"#{NAME}.problems.instances"] | {"@id": ""} == {
        "@id": "",
        "@type": "PropertyValue",
        "name": f"{NAME}.problems.instances",
        "value": 6,
    }
    assert f"#{NAME}.problems.instances" in objects
    assert f"code with SHA-256 {'0' * 64}" in action["description"]
    workflow = entities["Snakefile"]
    assert workflow["identifier"] == ["c" * 40]
    libraries = {entities[one]["name"]: entities[one] for one in named(workflow["softwareRequirements"])}
    assert set(libraries) == {"numpy", "python", "torch"}
    assert libraries["torch"]["softwareVersion"] == "2.0+cpu"
    assert libraries["torch"]["@id"] == "https://pypi.org/project/torch/2.0"


def test_what_nobody_recorded_is_left_out(described):
    folder, entities = described
    assert "agent" not in entities[f"#{NAME}"]
    text = (folder / "crate/ro-crate-metadata.json").read_text()
    assert str(folder) not in text
    for word in (": null", "Unknown", "None"):
        assert word not in text


def test_a_file_that_is_missing_is_named(described, tmp_path):
    folder, _ = described
    (folder / f"build/smoke/results/{NAME}/cells.csv").unlink()
    with pytest.raises(UserError, match=r"cells\.csv: missing; run snakemake to build it"):
        crate.write(folder / "build/smoke", [NAME], tmp_path / "crate")
    assert not (tmp_path / "crate").exists()
    assert "claims.csv" in AUDIT


def test_codemeta_says_what_the_citation_says(tmp_path):
    (tmp_path / "pyproject.toml").write_text((ROOT / "pyproject.toml").read_text())
    cited = (ROOT / "CITATION.cff").read_text()
    author = (
        "authors:\n  - given-names: Ada\n    family-names: Lovelace\n    orcid: https://orcid.org/0000-0000-0000-0000\n"
    )
    cited = cited.replace("authors:\n  - name: The attnsvm developers\n", f"{author}date-released: 2030-01-02\n", 1)
    (tmp_path / "CITATION.cff").write_text(cited)
    found = json.loads(codemeta.text(tmp_path))
    assert found["author"] == [
        {
            "@type": "Person",
            "name": "Ada Lovelace",
            "givenName": "Ada",
            "familyName": "Lovelace",
            "@id": "https://orcid.org/0000-0000-0000-0000",
        }
    ]
    assert found["datePublished"] == "2030-01-02"
    paper = found["referencePublication"][0]
    assert paper["identifier"] == "arXiv:2308.16898"
    assert [one["familyName"] for one in paper["author"]][-1] == "Oymak"
    ours = json.loads((ROOT / "codemeta.json").read_text())
    assert ours == json.loads(codemeta.text(ROOT))
    assert "datePublished" not in ours
