"""The code each job depends on, found from imports alone, and its hash."""

import subprocess
import sys
from pathlib import Path

import pytest
from harness import ROOT

from attnsvm.pipeline import cards, dependencies, jobs
from attnsvm.pipeline.dependencies import digest, module_files

EXPERIMENTS = cards.experiments()
STARTS_FROM_SOLUTIONS = {"cone", "regularisation_path"}  # their descent begins at the SVM directions
DESCENDS_BY_ITSELF = {"regularisation_path"}  # on balls, without the engine


def stage_files(card, stage):
    return module_files(*jobs.stage_modules(card, stage))


@pytest.mark.parametrize("card", EXPERIMENTS, ids=lambda card: card.name)
def test_the_solvers_are_an_input_of_what_solves_only(card):
    for stage in card.stages:
        solves = stage == "svm" or (stage == "descent" and card.name in STARTS_FROM_SOLUTIONS)
        assert ("attnsvm/svm/nuclear.py" in stage_files(card, stage)) == solves


@pytest.mark.parametrize("card", EXPERIMENTS, ids=lambda card: card.name)
def test_the_engine_is_an_input_of_what_trains_only(card):
    for stage in card.stages:
        trains = stage == "descent" and card.name not in DESCENDS_BY_ITSELF
        assert ("attnsvm/training/descent.py" in stage_files(card, stage)) == trains


@pytest.mark.parametrize("card", EXPERIMENTS, ids=lambda card: card.name)
def test_no_stage_depends_on_what_decides_over_no_number(card):
    """The pipeline's own modules, but for how blocks are put together; figures, claims; another experiment's files."""
    allowed = {"attnsvm/pipeline/__init__.py", "attnsvm/pipeline/gathering.py"}
    for stage in card.stages:
        files = stage_files(card, stage)
        assert not [name for name in files if name.startswith("attnsvm/pipeline/") and name not in allowed]
        assert not [name for name in files if Path(name).name in ("figure.py", "claims.py")]
        assert not [name for name in files if name.startswith(("attnsvm/plots/", "attnsvm/audit/", "attnsvm/files/s"))]


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A function that writes modules of a package `pack`, found where ours are."""

    def write(files):
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
            (tmp_path / name).write_text(text)
        forget()

    def forget():
        for function in vars(dependencies).values():
            if hasattr(function, "cache_clear"):
                function.cache_clear()

    monkeypatch.setattr(dependencies, "ROOT", tmp_path)
    yield write
    monkeypatch.undo()
    forget()


def test_every_way_of_importing_is_followed(package):
    """Through modules and packages, relative and late, in a function, a class, a table, and under another name."""
    files = {
        "pack/__init__.py": "from pack.root import x\n",
        "pack/root.py": "x = 1\n",
        "pack/a.py": "import pack.plain\nfrom pack import sibling as other\nfrom pack.lab import base\n"
        "from .relative import (\n    one,\n    two,\n)\n\nTABLE = {'draw': lambda: __import__}\n"
        "def go():\n    import pack.late\n    class Inside:\n        from pack.deep import thing\n",
        "pack/plain.py": "import numpy\n",
        "pack/sibling.py": "",
        "pack/relative.py": "from .up import three\none = two = 2\n",
        "pack/up.py": "three = 3\n",
        "pack/late.py": "if True:\n    try:\n        import pack.guarded\n    except ImportError:\n        pass\n",
        "pack/guarded.py": "",
        "pack/deep.py": "from pack.lab import *\n",
        "pack/lab/__init__.py": "from pack.lab import inner\n",
        "pack/lab/base.py": "",
        "pack/lab/inner.py": "",
        "pack/open/module.py": "",  # in a folder without __init__.py
        "pack/never.py": "",
    }
    files["pack/late.py"] += "from pack.open import module\n"
    package(files)
    assert set(module_files("pack.a")) == set(files) - {"pack/never.py"}
    assert set(module_files("pack.plain")) == {"pack/__init__.py", "pack/root.py", "pack/plain.py"}


def test_a_circle_of_imports_ends(package):
    package({"pack/__init__.py": "", "pack/a.py": "import pack.b\n", "pack/b.py": "import pack.a\n"})
    assert set(module_files("pack.a")) == {"pack/__init__.py", "pack/a.py", "pack/b.py"}


def test_the_hash_is_that_of_the_code_behind_a_module_and_of_the_texts_that_it_is_given(package):
    package(
        {"pack/__init__.py": "", "pack/a.py": "import pack.b\n", "pack/b.py": "x = 1\n", "pack/c.py": "", "t.j2": "1"}
    )
    first, with_text = digest("pack.a"), digest("pack.a", texts=("t.j2",))
    assert first != with_text
    package({"pack/c.py": "x = 2\n"})
    assert digest("pack.a") == first
    package({"t.j2": "2"})
    assert digest("pack.a", texts=("t.j2",)) != with_text
    package({"pack/b.py": "# a comment\nx = 1\n"})
    assert digest("pack.a") == first
    package({"pack/b.py": "x = 2\n"})
    assert digest("pack.a") != first


def test_a_figure_depends_on_no_stage_and_on_no_other_experiment_but_those_it_draws_from():
    for card in cards.figures():
        files = module_files(*jobs.figure_modules(card))
        own = f"attnsvm/experiments/{card.name}/figure.py"
        assert own in files
        assert "attnsvm/plots/style.py" in files
        assert all(
            name.startswith(("attnsvm/plots/", "attnsvm/files/", "attnsvm/errors", "attnsvm/__init__"))
            or name.endswith("/figure.py")
            or name == "attnsvm/experiments/__init__.py"
            for name in files
        ), files


@pytest.mark.parametrize("module", ["attnsvm.svm.solver", "attnsvm.experiments.svm_rank.svm", "attnsvm.pipeline.jobs"])
def test_the_static_answer_covers_what_really_gets_imported(module):
    """Import a module for real, in a fresh interpreter, and compare with the files the static search found."""
    program = f"import sys, {module}; print(*sorted(n for n in sys.modules if n.split('.')[0] == 'attnsvm'))"
    run = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = {str(Path(*name.split("."))) for name in run.stdout.split()}
    loaded = {name for name in loaded if not (ROOT / name).is_dir() or (ROOT / name / "__init__.py").exists()}
    found = {name.removesuffix("/__init__.py").removesuffix(".py") for name in module_files(module)}
    assert loaded <= found
    late = {name for name in found - loaded if not name.startswith("attnsvm/svm")}  # imported by a function, late
    assert not late


def test_finding_cards_and_dependencies_imports_nothing_heavy():
    """It happens at the start of every run of Snakemake, and in each of its jobs."""
    program = "import sys; from attnsvm.pipeline import jobs, cards, captions, configuration; "
    program += "jobs.all_files('svm_rank'); configuration.resolve({}); print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert not {"torch", "cvxpy", "numpy", "pandas", "matplotlib", "scipy"} & set(run.stdout.split())
