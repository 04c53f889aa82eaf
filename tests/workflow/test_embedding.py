"""The workflow as a module of another one: the example of docs/embedding.md, from a folder of its own."""

import re

import pytest
import yaml
from harness import NOTHING, ROOT, damage, snakemake, snapshot

HOST = "attention/smoke"


def run(folder, *arguments, **options):
    """Run Snakemake in a folder that is no copy of this repository, and has neither our package nor our profile."""
    return snakemake(folder, *arguments, "--rerun-triggers", "mtime", "params", "input", **options)


def example(folder, snakefile):
    """The files of the documentation's example, with the path of a Snakefile."""
    blocks = re.findall(
        r"^```\w+\n# (\S+)\n(.*?)^```", (ROOT / "docs/embedding.md").read_text(), re.DOTALL | re.MULTILINE
    )
    for name, text in blocks:
        (folder / name).write_text(text.replace("/path/to/attnsvm/workflow/Snakefile", str(snakefile)))
    return [name for name, _ in blocks]


@pytest.fixture(scope="module")
def host(built, tmp_path_factory):
    """A workflow of somebody else that has run once."""
    folder = tmp_path_factory.mktemp("host")
    assert example(folder, built / "workflow/Snakefile") == ["Snakefile", "config.yaml"]
    done = run(folder)
    assert done.returncode == 0, done.stdout
    return folder


def test_the_example_builds_in_a_folder_of_its_own(host):
    rows = int((host / "lengths.txt").read_text())
    assert rows == len((host / f"{HOST}/figures/trajectories.csv").read_text().splitlines())
    assert not (host / "results").exists()
    assert not (host / "figures").exists()


def test_what_it_builds_is_what_this_workflow_builds(host, built):
    ours = snapshot(built, "smoke/figures/trajectories.csv")
    theirs = snapshot(host, f"{HOST}/figures/trajectories.csv")
    assert list(ours.values()) == list(theirs.values())


def test_a_second_run_has_nothing_to_do(host):
    again = run(host, "-n")
    assert NOTHING in again.stdout


def test_a_changed_setting_of_the_host_reaches_our_rules(host):
    changed = yaml.safe_load((host / "config.yaml").read_text())
    changed["attnsvm"]["experiments"] = {"trajectories": {"descent": {"learning_rate": 0.2}}}
    said = run(host, "-n", extra=changed).stdout
    assert re.search(r"^attnsvm_descent +1$", said, re.MULTILINE)
    assert "attnsvm_problems" not in said


def test_a_wrong_setting_ends_with_one_sentence(host):
    ended = run(host, "-n", extra={"attnsvm": {"figures": {"dpy": 100}}})
    assert ended.returncode == 1
    assert "config: figures: unknown key 'dpy': did you mean 'dpi'?" in ended.stdout
    assert "Traceback" not in ended.stdout


def test_a_damaged_file_under_the_prefix_is_named_and_built_anew(host):
    path = f"{HOST}/results/trajectories/measures.parquet"
    content = (host / path).read_bytes()
    damage(host / path)
    said = run(host, path)
    assert said.returncode == 0, said.stdout
    assert f"{path}: damaged" in said.stdout
    assert (host / path).read_bytes() == content


def test_every_target_has_its_name_under_the_prefix(host):
    said = run(host, "-n", "attnsvm_figures/feasibility", "attnsvm_audit")
    assert said.returncode == 0, said.stdout
    assert f"{HOST}/figures/feasibility.json" in said.stdout
    assert f"{HOST}/results/audit/claims.csv" in said.stdout
