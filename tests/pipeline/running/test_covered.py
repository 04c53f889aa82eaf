"""A job that runs what its hash does not cover is refused; and what stages really load is covered."""

import importlib
import json
import shutil
import sys

import pytest
from harness import ROOT, run_python

from attnsvm.pipeline import blocks, cards, configuration, modules
from attnsvm.pipeline.hashes.dependencies import module_files
from attnsvm.pipeline.modules import covered
from attnsvm.system.errors import UserError

# Each stage runs in a process of its own, a fork of one that has only what every job has, and says what it loaded.
PROGRAM = """
import json, os, sys
from attnsvm.system.errors import UserError
from attnsvm.pipeline import cards, configuration
from attnsvm.pipeline.plan import earlier
from attnsvm.pipeline.running import stages
name, folder, parts, *asked = sys.argv[1:]
card, config = cards.read(name), configuration.resolve({"scale": "smoke"})
parts, files, said = json.loads(parts), {}, {}
for stage in asked or card.stages:
    reading, writing = os.pipe()
    path = f"{folder}/{stage}.npz"
    if not os.fork():
        before = {*sys.modules}
        run = stages.measures_of_block if stage == "measures" else getattr(stages, stage)
        given = parts if stage == "problems" else {s: files[s] for s in earlier(card, stage)}
        try:
            run(name, configuration.block_settings(card, config, stage), given, path)
            found = sorted(name for name in {*sys.modules} - before if name.split(".")[0] == "attnsvm")
        except UserError as error:
            found = str(error)
        os.write(writing, json.dumps(found).encode())
        os._exit(0)
    os.close(writing)
    with open(reading) as file:
        said[stage] = json.loads(file.read())
    os.wait()
    files[stage] = path
print(json.dumps(said))
"""


def stages_of(name, folder, *stages, beside=ROOT):
    """{stage: what it loaded, or the sentence with which it ended}, of one block, with the package in `beside`."""
    parts = next(iter(blocks.cut(cards.read(name), configuration.resolve({"scale": "smoke"})).values()))
    return json.loads(run_python(PROGRAM, name, folder, json.dumps(parts), *stages, cwd=beside))


@pytest.mark.parametrize("name", ["next_token", "svm_rank"])
def test_what_a_stage_loads_is_among_the_files_of_its_hash(name, tmp_path):
    """Of the others every job of the smoke run sees to it by itself."""
    card = cards.read(name)
    loaded = stages_of(name, tmp_path)
    assert set(loaded) == set(card.stages)
    for stage, names in loaded.items():
        assert card.modules[stage] in names
        written = ("attnsvm.pipeline", "attnsvm.system.store", "attnsvm.system.writing", "attnsvm.system.checksums")
        plumbing = {module for module in names if module.startswith(written)}
        assert plumbing <= {"attnsvm.pipeline", "attnsvm.pipeline.running.gathering"}
        known = {file.removesuffix("/__init__.py") for file in module_files(*modules.of_stage(name, stage))}
        known = {file.removesuffix(".py").replace("/", ".") for file in known}
        folders = [cards.place(card.name).replace("/", ".") for card in cards.every()]  # without code of their own
        known |= {folder.rsplit(".", above)[0] for folder in folders for above in range(3)}
        assert {*names} <= known, (stage, {*names} - known)


CHOSEN = "\n\nimport importlib\n\nimportlib.import_module('attnsvm.data.' + 'digits')\n"
SAID = "\n\nfrom attnsvm.data import digits\n" + CHOSEN


@pytest.fixture
def package(tmp_path):
    """A function that runs a stage of the package with other text at the end of `problems.py` of svm_rank."""
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "attnsvm", tmp_path / "attnsvm", ignore=ignored)

    def run(text):
        with open(tmp_path / "attnsvm/experiments/paper/svm_rank/problems.py", "a") as file:
            file.write(text)
        return stages_of("svm_rank", tmp_path, "problems", beside=tmp_path)["problems"]

    return run


def test_a_module_chosen_by_name_ends_the_job_with_one_sentence_and_no_file(package, tmp_path):
    assert package(CHOSEN) == (
        "attnsvm.experiments.paper.svm_rank.problems runs attnsvm.data.digits, which no import statement behind it "
        "names: an edit of it would rerun nothing; import it by a statement"
    )
    assert not (tmp_path / "problems.npz").exists()


def test_a_module_chosen_by_name_that_a_statement_names_too_is_welcome(package, tmp_path):
    assert "attnsvm.data.digits" in package(SAID)
    assert (tmp_path / "problems.npz").exists()


def test_what_was_loaded_before_and_what_runs_a_job_is_no_offence(monkeypatch):
    """As in this process, which has run others."""
    importlib.import_module("attnsvm.data.digits")
    with covered("attnsvm.system.errors"):
        importlib.import_module("attnsvm.data.digits")
    for name, welcome in (
        ("attnsvm.pipeline.captions", True),
        ("attnsvm.pipeline.verify", True),
        ("attnsvm.data.digits", False),
    ):
        importlib.import_module(name)  # and what it imports
        monkeypatch.delitem(sys.modules, name)
        try:
            with covered("attnsvm.system.errors"):
                importlib.import_module(name)
            assert welcome, name
        except UserError:
            assert not welcome, name


def test_another_error_is_not_hidden():
    with pytest.raises(KeyError), covered("attnsvm.system.errors"):
        raise KeyError("other")
