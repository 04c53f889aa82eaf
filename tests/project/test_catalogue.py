"""What the catalogue of Snakemake workflows asks of a standardised workflow."""

import re
import tomllib

import yaml
from harness import ROOT, snakemake

from attnsvm.pipeline.configuration import resolve, schema


def test_the_files_that_it_looks_for_are_here():
    for name in ("workflow/Snakefile", "workflow/rules", "workflow/scripts", "workflow/report", "config/config.yaml",
                 "config/README.md", ".snakemake-workflow-catalog.yml", "LICENSE", "README.md"):  # fmt: skip
        assert (ROOT / name).exists(), name


def test_its_own_file_says_how_software_is_deployed_and_that_there_is_a_report():
    said = yaml.safe_load((ROOT / ".snakemake-workflow-catalog.yml").read_text())["usage"]
    assert set(said) == {"mandatory-flags", "software-stack-deployment", "report"}
    assert set(said["mandatory-flags"]) == {"desc", "flags"}
    assert said["mandatory-flags"]["flags"] in snakemake(ROOT, "--help").stdout
    assert said["software-stack-deployment"]["conda"] is True
    assert said["report"] is True


def test_conda_is_said_of_every_rule():
    rules = "".join(path.read_text() for path in (ROOT / "workflow/rules").glob("*.smk"))
    named = re.findall(r"^ *(rule|checkpoint)( \w+)?:", rules, re.MULTILINE)
    assert len(named) == rules.count('"../../environment.yml"')


def test_the_configurations_page_names_every_key_and_its_example_is_one():
    page = (ROOT / "config/README.md").read_text()
    for key in schema()["properties"]:
        assert f"| `{key}` |" in page
    (example,) = re.findall(r"^```yaml\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    assert resolve(yaml.safe_load(example))["figures"]["dpi"] == 600


def test_the_licence_is_the_one_that_is_said():
    assert tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["license"] == "MIT"
    assert (ROOT / "LICENSE").read_text().startswith("MIT License")


def test_what_the_catalogue_shows_of_conda_can_be_made_from_the_file_alone():
    """Snakemake copies the file elsewhere before it makes the environment: a path in it would lead nowhere."""
    wanted = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    assert all(isinstance(line, str) for line in wanted)
    assert "package_in(BESIDE)" in (ROOT / "workflow/rules/common.smk").read_text()
