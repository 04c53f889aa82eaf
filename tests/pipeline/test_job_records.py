"""What a job notes of its files, when it does not, and what a later run reads of it."""

import json
import os
import shutil
import time
from pathlib import Path

import pytest
from harness import ROOT, run_python

from attnsvm.pipeline import job_records
from attnsvm.pipeline.configuration import resolve
from attnsvm.pipeline.plan import Plan
from attnsvm.system import checksums
from attnsvm.system.errors import UserError
from attnsvm.system.store import save_text

NAMES = ("figures/cone.csv", "figures/cone.pdf", "results/cone/cells.csv")
# The job of a stage in a process of its own, as the script runs it.
PROGRAM = """
import json, sys
before = {*sys.modules}
from types import SimpleNamespace
from attnsvm.pipeline import job_records
from attnsvm.system.errors import UserError
code, rule, name, settings, parts, path, late, exclaimed = json.loads(sys.argv[1])
class Named(dict):
    def __iter__(self): return iter(self.values())
    def __getitem__(self, k): return [*self.values()][k] if isinstance(k, int) else super().__getitem__(k)
    __getattr__ = dict.__getitem__
params = Named(code=code, job=rule, settings=settings, parts=parts, made="m" * 64)
given = dict(input=Named(), output=Named(x=path), params=params, wildcards=Named(experiment=name), log=["a.log"])
if late:
    exec(late)
try:
    job_records.run(SimpleNamespace(threads=1, **given), before)
    print(json.dumps([""]))
except UserError as error:
    print(json.dumps([str(error)]))
"""


@pytest.fixture
def house(tmp_path):
    """A function that runs the job of problems of svm_rank in a copy, with a text at the end of its module."""
    for name in ("attnsvm", "workflow"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "Snakefile").touch()
    plan = Plan(resolve({"scale": "smoke"}), {})
    block = next(iter(plan.blocks("svm_rank")))
    asked = "import json; from attnsvm.pipeline import modules; print(json.dumps(modules.code('problems', 'svm_rank')))"

    def run(text="", late=""):
        with open(tmp_path / "attnsvm/experiments/paper/svm_rank/problems.py", "a") as file:
            file.write(text)
        code = json.loads(run_python(asked, cwd=tmp_path))
        settings, parts = plan.settings("problems", "svm_rank", block), plan.parts("svm_rank", block)
        given = json.dumps([code, "problems", "svm_rank", settings, parts, "made.npz", late, ""])
        (sentence,) = json.loads(run_python(PROGRAM, given, cwd=tmp_path).splitlines()[-1])
        return sentence, checksums.record(tmp_path / "made.npz")

    return run


def test_a_job_notes_what_it_was_asked_for(house):
    assert house() == ("", {"made": "m" * 64, "inputs": {}, "log": "a.log"})


LOADED = "\n\nimport importlib\n\nimportlib.import_module('attnsvm.data.' + 'digits')\n"
READ = "\n\nfrom pathlib import Path\n\nPath(__file__).with_name('own' + '.txt').read_text()\n"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (LOADED, "svm_rank.problems runs attnsvm.data.digits, which no import statement behind it names"),
        ("\n\nimport helper\n", "helper.py, and an edit of that would rerun nothing; put it into the folder"),
        (READ, "svm_rank/own.txt, and an edit of that would rerun nothing; name it in the module beside it"),
    ],
)
def test_what_no_hash_covers_ends_the_job_with_a_sentence_and_without_a_record(house, tmp_path, text, sentence):
    (tmp_path / "helper.py").touch()
    (tmp_path / "attnsvm/experiments/paper/svm_rank/own.txt").touch()
    said, record = house(text)
    assert sentence in said
    assert record is None


@pytest.mark.parametrize("text", ["\n\nfrom attnsvm.data import digits\n" + LOADED, READ.replace("' + '", "")])
def test_what_a_statement_or_a_string_names_is_welcome(house, tmp_path, text):
    own = tmp_path / "attnsvm/experiments/paper/svm_rank/own.txt"
    asked = "from attnsvm.pipeline import modules; print(modules.code('problems', 'svm_rank'))"
    own.touch()
    assert house(text)[0] == ""
    before = run_python(asked, cwd=tmp_path)
    own.write_text("another")
    assert (before != run_python(asked, cwd=tmp_path)) == ("own.txt" in text)


EDIT = """
from pathlib import Path
path = Path("attnsvm/{}")
path.write_text(path.read_text() + "\\nLATER = 1\\n")
"""


@pytest.mark.parametrize(
    ("late", "sentence"),
    [
        (EDIT.format("experiments/paper/svm_rank/problems.py"), "the code was edited while this run waited"),
        (EDIT.format("pipeline/job_records.py"), "pipeline/job_records.py: was edited while this job ran"),
        (EDIT.format("data/cells.py") + "import attnsvm.data.cells\n" + EDIT.format("data/cells.py"), "was edited"),
    ],
)
def test_an_edit_between_the_plan_and_the_job_ends_it(house, late, sentence):
    said, record = house(late=late)
    assert sentence in said
    assert record is None


def test_an_edit_of_a_comment_ends_no_job(house):
    late = EDIT.format("experiments/paper/svm_rank/problems.py").replace("LATER = 1", "# a comment")
    assert house(late=late)[0] == ""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in NAMES:
        save_text(name, f"content of {name}\n")
    inputs = {name: checksums.of(name) for name in NAMES[2:]}
    job_records.note(NAMES[:1], "asked", inputs)
    return tmp_path


def test_a_file_is_what_was_asked_for_by_its_bytes_its_made_and_its_inputs(folder):
    assert job_records.stale(NAMES[0], "asked") == ""
    assert job_records.stale(NAMES[0], "asked", str(folder / "nowhere")) == job_records.UNKNOWN
    assert job_records.stale(NAMES[0], "another") == "it was made of other settings or by other code"
    assert job_records.stale(NAMES[1], "asked") == job_records.UNKNOWN
    save_text(NAMES[2], "another input\n")
    assert job_records.stale(NAMES[0], "asked") == f"it was made of another {NAMES[2]}"
    Path(NAMES[2]).unlink()
    checksums.beside(NAMES[2]).unlink()
    assert job_records.stale(NAMES[0], "asked") == "", "it may be deleted"
    Path(NAMES[2]).write_text("without a checksum\n")
    assert job_records.stale(NAMES[0], "asked") == f"it was made of another {NAMES[2]}"


def test_the_record_goes_where_a_file_is_written_anew(folder):
    save_text(NAMES[0], "another job has begun\n")
    assert checksums.holds(NAMES[0])
    assert job_records.stale(NAMES[0], "asked") == job_records.UNKNOWN


@pytest.mark.parametrize("content", [b"", b"\xff", b"x" * 64 + b"\n# {", b"# 1\n", b"\n# [1]", b'\n# {"made": {}}'])
def test_a_broken_record_is_none(folder, content):
    checksums.beside(NAMES[0]).write_bytes(content)
    assert job_records.stale(NAMES[0], "asked")


def test_a_folder_has_a_record_of_all_its_files_and_stays_with_one_that_no_build_wrote(folder):
    job_records.note(["results"], "asked", {})
    assert job_records.stale("results", "asked") == ""
    assert job_records.wrong(["results"], "other")
    Path("results/notes.txt").write_text("mine")
    with pytest.raises(UserError, match="results: a build replaces this folder, and it holds what none wrote"):
        job_records.wrong(["results"], "other")


def test_what_a_cache_links_in_has_its_record_there(folder, monkeypatch):
    """Snakemake's cache between workflows: made in one clone, linked into another."""
    (folder / "cache").mkdir()
    monkeypatch.setenv(checksums.CACHE, str(folder / "cache"))
    job_records.note(NAMES[1:2], "cached", {})
    Path(NAMES[1]).rename(folder / "cache/1")
    checksums.beside(NAMES[1]).unlink()
    Path("results/linked.pdf").symlink_to(folder / "cache/1")
    assert job_records.stale("results/linked.pdf", "cached") == ""
    assert job_records.stale("results/linked.pdf", "other") != ""
    save_text("results/linked.pdf.2", "of before")
    Path("results/.linked.pdf.sha256").write_bytes(checksums.beside("results/linked.pdf.2").read_bytes())
    assert checksums.holds("results/linked.pdf"), "an old checksum"
    (folder / "cache/1").write_text("another")
    assert not checksums.holds("results/linked.pdf")
    assert job_records.stale("results/linked.pdf", "cached") != ""


@pytest.mark.parametrize("path", [*NAMES, "a" * 190, f"{'long/' * 150}x.csv"])
def test_the_name_of_a_record_is_that_which_snakemake_gives_it(path, tmp_path):
    from snakemake.persistence.file import FilePersistence

    store = FilePersistence(path=tmp_path, nolock=True)
    assert store._record_path(str(tmp_path), path) == f"{tmp_path}/{job_records.name(path)}"


def test_records_of_snakemake_that_say_another_thing_go_and_no_two_folders_share_one(folder):
    job_records.SNAKEMAKES.mkdir(parents=True)
    places = {name: job_records.SNAKEMAKES / job_records.name(name) for name in NAMES}
    for name, text in zip(NAMES, (json.dumps({"params": ["'asked'"]}), json.dumps({"params": []}), "{"), strict=True):
        places[name].write_text(text)
        os.link(places[name], f"{places[name]}.other")
        job_records.forget(name, "asked")
    assert [name for name in NAMES if places[name].exists()] == [*NAMES[:1]]
    job_records.part()
    assert all(path.stat().st_nlink == 1 for path in job_records.SNAKEMAKES.iterdir())
    assert places[NAMES[0]].read_text() == Path(f"{places[NAMES[0]]}.other").read_text()


def test_no_input_is_from_the_future(folder):
    os.utime(NAMES[0], (4e9, 4e9))
    job_records._date_today([NAMES[0], "gone"])
    assert os.stat(NAMES[0]).st_mtime <= time.time()
