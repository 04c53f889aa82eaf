"""The code each job depends on, found from imports alone, and its hash."""

from pathlib import Path

import pytest
from harness import ROOT, run_python

from attnsvm.pipeline import cards, modules
from attnsvm.pipeline.hashes import dependencies
from attnsvm.pipeline.hashes.dependencies import digest, file_of, module_files

EXPERIMENTS = cards.experiments()


def stage_files(card, stage):
    return module_files(*modules.of_stage(card.name, stage))


@pytest.mark.parametrize("card", EXPERIMENTS, ids=lambda card: card.name)
def test_no_stage_depends_on_what_decides_over_no_number(card):
    """What plans the build, but for how blocks are put together; figures, claims; another experiment's files."""
    allowed = {f"attnsvm/pipeline/{name}.py" for name in ("__init__", "running/__init__", "running/gathering")}
    for stage in card.stages:
        files = stage_files(card, stage)
        assert not [name for name in files if name.startswith("attnsvm/pipeline/") and name not in allowed]
        assert not [name for name in files if Path(name).name in ("figure.py", "claims.py")]
        assert not [
            name for name in files if name.startswith(("attnsvm/plots/", "attnsvm/audit/", "attnsvm/system/store"))
        ]


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
        "pack/lab/__init__.py": "from pack.lab import inner\nfrom pack.lab.same import same\nsame.it()\n",
        "pack/lab/base.py": "",
        "pack/lab/inner.py": "",
        "pack/lab/same.py": "same = 1\n",
        "pack/open/module.py": "",  # in a folder without __init__.py
        "pack/never.py": "",
    }
    files["pack/late.py"] += "from pack.open import module\n"
    package(files)
    assert set(module_files("pack.a")) == set(files) - {"pack/never.py"}
    assert set(module_files("pack.plain")) == {"pack/__init__.py", "pack/root.py", "pack/plain.py"}


def offering(*lines):
    """The __init__.py of a package that offers names."""
    body = "".join(f"    {line}\n" for line in lines)
    return f"if TYPE_CHECKING:\n{body}else:\n    __getattr__, __dir__ = exports(__name__)\n"


OFFERED = {
    "pack/__init__.py": "",
    "pack/lab/__init__.py": offering(
        "from pack.lab.one import first as first",
        "from pack.lab.two import second as other",
        "from pack.far import third as third",
        "from pack.lab.deep import fourth as fourth",
    ),
    "pack/lab/one.py": "first = 1\n",
    "pack/lab/two.py": "from pack.lab import third\nsecond = third\n",
    "pack/lab/three.py": "",
    "pack/lab/deep/__init__.py": offering("from pack.lab.deep.low import fourth as fourth"),
    "pack/lab/deep/low.py": "fourth = 4\n",
    "pack/far.py": "third = 3\n",
    "pack/handing.py": "from pack import lab\nfrom pack.lab import one as single\n",
}
ONE, TWO = {"pack/lab/one.py"}, {"pack/lab/two.py", "pack/far.py"}
DEEP = {"pack/lab/deep/__init__.py", "pack/lab/deep/low.py"}
EVERY = ONE | TWO | DEEP
USES = {
    "nothing": ("", set()),
    "the name": ("from pack.lab import first", ONE),
    "another name for it": ("from pack.lab import other as mine\nmine()", TWO),
    "its module": ("from pack.lab import three\nthree.x()", {"pack/lab/three.py"}),
    "two steps": ("from pack.lab import fourth", DEEP),
    "relative": ("from .lab import first", ONE),
    "a star": ("from pack.lab import *", EVERY),
    "the package": ("from pack import lab", set()),
    "its attribute": ("from pack import lab\nlab.first(lab.first)", ONE),
    "under another name": ("from pack import lab as l\ndef f():\n    return l.fourth.x(l.first[0])", ONE | DEEP),
    "the whole path": ("import pack.lab\npack.lab.other()", TWO),
    "the path of another": ("import pack.lab.three\npack.lab.first()", {"pack/lab/three.py"} | ONE),
    "a part of it": ("import pack.lab.deep as d\nd.fourth()", DEEP),
    "a name it defines": ("from pack import lab\nlab.__name__", set()),
    "the package handed on": ("from pack import lab\nprint(lab)", EVERY),
    "the package by getattr": ("import pack.lab\ngetattr(pack.lab, 'first')", EVERY),
    "the package as a default": ("from pack import lab\ndef f(x=lab):\n    return x.first", EVERY),
    "the package in a class": ("class C:\n    from pack import lab\nC.lab.first", EVERY),
    "the package of a class": ("from pack import lab\nclass C(lab.Base):\n    x = lab.first", ONE),
    "through a module": ("from pack.handing import lab\nlab.first()", {"pack/handing.py"} | ONE),
    "through the module's attribute": (
        "from pack import handing\nhanding.lab.other()",
        {"pack/handing.py"} | ONE | TWO,
    ),
    "a module handed on": ("from pack import handing\nf(handing)", {"pack/handing.py"} | EVERY),
}


@pytest.mark.parametrize("how", USES)
def test_a_name_is_followed_to_the_module_that_defines_it(package, how):
    """What the package offers beside it does not count, and all of it counts where the package itself is handed on."""
    text, wanted = USES[how]
    package(OFFERED | {"pack/a.py": f"{text}\n"})
    found = set(module_files("pack.a")) - {"pack/__init__.py", "pack/lab/__init__.py", "pack/a.py"}
    assert found == wanted


def test_what_a_package_runs_itself_counts_for_all_its_modules(package):
    files = {
        "pack/__init__.py": "",
        "pack/lab/__init__.py": "from pack import real\n\nX = real.x\n",
        "pack/real.py": "",
    }
    package(files | {"pack/lab/one.py": "", "pack/a.py": "from pack.lab import one\n"})
    assert set(module_files("pack.a")) == {*files, "pack/lab/one.py", "pack/a.py"}


def test_another_module_behind_a_name_that_a_package_offers_is_another_hash(package):
    """Even if both modules are behind the job for other reasons."""
    both = "from pack.lab import first\nfrom pack.lab import one, two\n"
    package(OFFERED | {"pack/a.py": both, "pack/lab/two.py": "first = 2\n"})
    before, files = digest("pack.a"), module_files("pack.a")
    package({"pack/lab/__init__.py": offering("from pack.lab.two import first as first")})
    assert module_files("pack.a") == files
    assert digest("pack.a") != before


def test_a_name_more_that_a_package_offers_changes_no_hash(package):
    package(OFFERED | {"pack/a.py": "from pack.lab import first\n"})
    before = digest("pack.a")
    package(
        {"pack/lab/__init__.py": offering("from pack.lab.one import first as first", "from pack.far import x as x")}
    )
    assert digest("pack.a") == before


CHOOSING = {
    "pack/__init__.py": "",
    "pack/shapes/__init__.py": "from importlib import import_module\nUSUAL = 'round'\n\n"
    "def get(name=USUAL):\n    return import_module(f'{__name__}.base'), import_module(f'{__name__}.{name}')\n",
    **{f"pack/shapes/{name}.py": "" for name in ("base", "round", "square", "flat", "long")},
    "pack/engine.py": "from pack import shapes\n\ndef go(name):\n    return shapes.get(name) or 'long'\n",
    "pack/experiments/__init__.py": "",
    "pack/experiments/one/descent.py": "from pack.experiments.two.names import NAMES\nX = 'square', 'a square'\n",
    "pack/experiments/one/figure.py": "LOOKS = 'long'\n",
    "pack/experiments/two/names.py": "NAMES = ('flat',)\n",
    "pack/experiments/one/svm.py": "from pack.engine import go\n\ndef svm(trained):\n    map(go, trained)\n",
    "pack/experiments/two/svm.py": "from pack.engine import go\n\ndef svm(trained):\n    return go('flat')\n",
    "pack/experiments/three/svm.py": "from pack.engine import go\n",
    "pack/experiments/three/plain.py": "",
}


@pytest.mark.parametrize(("experiment", "named"), [("one", {"square", "flat"}), ("two", {"flat"}), ("three", set())])
def test_of_a_package_that_imports_by_name_what_it_and_the_experiment_name_counts(package, experiment, named):
    """In any of its stages, and in what they import: a stage is given names by those before it.

    What the engine between them says does not count.
    """
    package(CHOOSING)
    found = {file for file in module_files(f"pack.experiments.{experiment}.svm") if "shapes" in file}
    assert found == {f"pack/shapes/{name}.py" for name in {"__init__", "base", "round"} | named}
    assert not [file for file in module_files("pack.experiments.three.plain") if "shapes" in file]


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


def test_a_headline_depends_on_no_stage_and_on_no_solver():
    """What reads the claims: an edit of a stage or of a method draws no figure of the same table again."""
    for card in cards.figures(optional=True):
        files = [*map(Path, module_files("attnsvm.audit.headline", card.modules.get("claims", "attnsvm.audit")))]
        assert file_of("attnsvm.audit.evaluation") in map(str, files)
        of_stages = [file for file in files if "experiments" in file.parts and file.stem in cards.STAGES]
        solving = [file for file in files if file.parts[1] == "svm" or "lanes" in file.parts]
        assert not of_stages + solving, card.name


@pytest.mark.parametrize(
    "module", ["attnsvm.svm.solver", "attnsvm.experiments.paper.svm_rank.svm", "attnsvm.pipeline.plan"]
)
def test_the_static_answer_covers_what_really_gets_imported(module):
    """Import a module for real, in a fresh interpreter, and compare with the files the static search found."""
    program = f"import sys, {module}; print(*sorted(n for n in sys.modules if n.split('.')[0] == 'attnsvm'))"
    loaded = {str(Path(*name.split("."))) for name in run_python(program).split()}
    loaded = {name for name in loaded if not (ROOT / name).is_dir() or (ROOT / name / "__init__.py").exists()}
    files = (name for name in module_files(module) if name.endswith(".py"))
    found = {name.removesuffix(".py").removesuffix("/__init__") for name in files}
    assert loaded <= found
    with_a_problem = ("attnsvm/svm", "attnsvm/geometry", "attnsvm/batch", "attnsvm/system/caches")  # no sooner
    assert not {name for name in found - loaded if not name.startswith(with_a_problem)}


def test_finding_cards_and_dependencies_imports_nothing_heavy():
    """It happens at the start of every run of Snakemake, and in each of its jobs."""
    program = "import sys; from attnsvm.pipeline import configuration, modules, plan; "
    program += "from attnsvm.pipeline import captions; "
    program += "plan.Plan(configuration.resolve({}), {}); modules.code('svm', 'svm_rank'); "
    program += "modules.files_behind('svm_rank'); print(*sys.modules)"
    assert not {"torch", "cvxpy", "numpy", "pandas", "matplotlib", "scipy"} & set(run_python(program).split())
