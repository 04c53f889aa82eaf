"""What is taken from inside Snakemake: the listed names and no other, and what happens where one is gone."""

import re
import tokenize
from types import SimpleNamespace

import pytest
from harness import BUILT, NOTHING, ROOT, as_typed, clone, dry

from attnsvm.pipeline import snakemake_private as private

OBJECTS = {"workflow", "rules", "checkpoints", "scatter", "gather"}  # what a Snakefile has of Snakemake's
DOCUMENTED = {"workflow.source_path", "workflow.cores"}
# A Snakefile to be read in place of ours, in which one name is gone.
WITHOUT = """
from attnsvm.pipeline import snakemake_private
known = snakemake_private.look_up
def look_up(name, workflow=None):
    if name == "{}":
        raise AttributeError(name)
    return known(name, workflow)
snakemake_private.look_up = look_up
include: "Snakefile"
"""


def sources():
    files = [ROOT / "Snakefile", *(ROOT / "workflow").rglob("*"), *(ROOT / "attnsvm").rglob("*.py")]
    return [path for path in files if path.suffix in (".py", ".smk") or path.name == "Snakefile"]


def chains(path):
    """What code reaches for in Snakemake's objects: `workflow.dag.forcefiles`, as it stands outside of strings."""
    with tokenize.open(path) as file:
        words = [token.string for token in tokenize.generate_tokens(file.readline) if token.type in (1, 54)]
    text = re.sub(r" ?\. ?", ".", " ".join(words))
    return {chain for chain in re.findall(r"(?<![\w.])\w+(?:\.\w+)+", text) if chain.split(".")[0] in OBJECTS}


def test_there_are_three_names_at_most():
    assert len({*private.NAMES}) == len(private.NAMES) <= 3


def test_nothing_else_is_taken_from_inside():
    """Attributes of `workflow` that are documented, outputs of rules, and nothing with an underscore."""
    found = {chain for path in sources() if path.suffix != ".py" for chain in chains(path)}
    inside = {chain for chain in found if chain.startswith("workflow.") and chain not in DOCUMENTED}
    inside |= {chain for chain in found if re.search(r"\._", chain)}
    assert not inside
    assert "workflow.cores" in found, "chains are found"


def test_nothing_is_imported_from_a_module_that_is_not_documented():
    statement = re.compile(r"^\s*(?:from (snakemake[\w.]*) import|import (snakemake[\w.]*))", re.MULTILINE)
    found = {name for path in sources() for pair in statement.findall(path.read_text("utf-8")) for name in pair if name}
    assert found == {"snakemake.utils"}
    kept = [path.name for path in sources() if ".snakemake/" in path.read_text("utf-8")]
    assert {*kept} == {"job_records.py", "clean.py"}, "and where Snakemake's records lie"


@pytest.mark.parametrize("name", private.NAMES)
def test_a_name_that_is_gone_costs_a_line_or_ends_the_run_with_a_sentence(name, built, tmp_path):
    folder = clone(built, tmp_path / "clone", f"{BUILT}/results", f"{BUILT}/figures")
    (folder / "without.smk").write_text(WITHOUT.format(name))
    asked = ("-s", "without.smk", "--cores", "2", "--config", "scale=smoke")
    (folder / f"{BUILT}/figures/feasibility.png").unlink()
    run = as_typed(folder, "figures/feasibility", *asked)
    assert "Traceback" not in run.stdout
    assert f"this Snakemake has no {name}" in run.stdout
    assert (run.returncode == 0) == (name in private.CONVENIENT), run.stdout
    assert (folder / f"{BUILT}/figures/feasibility.png").exists() == (name in private.CONVENIENT)
    if name in private.DECIDING:
        last = run.stdout.splitlines()[-1]
        assert last.startswith("error: ")
        assert "an edit or a damaged file could go unseen" in last


def test_where_snakemake_keeps_its_records_is_its_own_affair(built):
    assert NOTHING in dry(built, "figures/cone", "--persistence-backend", "db").stdout


def test_what_should_be_a_set_and_is_none_ends_the_run():
    workflow = SimpleNamespace(dag=SimpleNamespace(forcefiles=[]))
    with pytest.raises(SystemExit, match=r"no workflow\.dag\.forcefiles"):
        private.forced(workflow)
