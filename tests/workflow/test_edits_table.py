"""What an edit reruns, as a table: what can change a number, by content.

This asks the plan, from which the rules take a job's params (attnsvm.pipeline.plan), in this process, before and after
an edit: it sees no dates. test_edits.py asks Snakemake itself.
"""

import re
import shutil
from pathlib import Path

import pytest
import yaml
from edits import (
    ALL,
    CARDS,
    CODE,
    EXPERIMENTS,
    FIGURES,
    LOCAL,
    RANK,
    STATEMENT,
    Repository,
    text,
    users,
    with_keys,
    with_setting,
)
from harness import ROOT

from attnsvm.pipeline import cards
from attnsvm.pipeline.hashes import dependencies


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    folder = tmp_path_factory.mktemp("repository")
    shutil.copytree(ROOT / "attnsvm", folder / "attnsvm", ignore=shutil.ignore_patterns("__pycache__"))
    return Repository(folder)


# One of each kind: what few stages run, and what many do.
SHARED = (
    *("attnsvm/svm/graph.py", "attnsvm/svm/estimator.py", "attnsvm/svm/checker.py", "attnsvm/data/cells.py"),
    *("attnsvm/svm/methods/interior_point.py", "attnsvm/geometry/fro.py", "attnsvm/geometry/rowmax.py"),
    *("attnsvm/training/optimisers/adam.py", "attnsvm/training/heads/base.py", "attnsvm/training/stack/descent.py"),
    *("attnsvm/training/tape/node.py", "attnsvm/training/kernels.py", "attnsvm/batch/singular.py"),
    *("attnsvm/analysis/selection.py", "attnsvm/pipeline/running/gathering.py", "attnsvm/system/lazy.py"),
    *("attnsvm/pipeline/running/stages.py", "attnsvm/pipeline/answers.py", "attnsvm/pipeline/cards.py"),
    *("attnsvm/pipeline/running/reporting.py", "attnsvm/system/store.py", "attnsvm/system/checksums.py"),
)


def dotted(path):
    return path.removesuffix("/__init__.py").removesuffix(".py").replace("/", ".")


@pytest.mark.parametrize("path", SHARED)
def test_an_edit_of_shared_code_changes_the_params_of_the_stages_that_run_it(repository, path):
    """As the text of the import statements says."""
    wanted, drawn = users(dotted(path)), users(dotted(path), parts=("figure",))
    changed = repository.changed({path: CODE})
    assert {job for job in changed if job[0] in (*cards.STAGES, "figure")} == wanted | drawn
    assert changed <= wanted | drawn | ALL["claims"] | ALL["audit_figure"] | ALL["provenance"]
    assert wanted or path.endswith(("graph.py", "estimator.py"))


SHOWN = {
    "attnsvm/plots/style.py": lambda: ALL["figure"] | ALL["audit_figure"],
    "attnsvm/audit/figure.py": lambda: ALL["figure"] | ALL["audit_figure"],
    "attnsvm/audit/headline.py": lambda: ALL["figure"] | ALL["audit_figure"],
    "attnsvm/audit/table.py": lambda: ALL["claims"],
    "attnsvm/audit/page.html.j2": lambda: ALL["claims"],
    "attnsvm/pipeline/provenance.py": lambda: ALL["provenance"],
    "attnsvm/pipeline/provenance.schema.yaml": lambda: ALL["provenance"],
    "attnsvm/pipeline/running/auditing.py": lambda: ALL["claims"],
    "attnsvm/pipeline/running/drawing.py": lambda: ALL["figure"] | ALL["audit_figure"],
}


@pytest.mark.parametrize("path", SHOWN)
def test_an_edit_of_what_shows_numbers_changes_the_params_of_no_stage(repository, path):
    assert repository.changed({path: CODE}) == SHOWN[path]()


def test_experiments_import_from_the_file_that_they_use():
    """So the text of their import statements says what they run, which is how `users` knows."""
    offering = ("attnsvm.svm", "attnsvm.training", "attnsvm.training.stack", "attnsvm.audit")
    files = [*cards.FOLDER.rglob("*.py"), *(ROOT / "attnsvm/pipeline/setup/template").glob("*.py")]
    taken = [
        f"{path.relative_to(ROOT)}: from {package} import {name}"
        for path in files
        for package, names, _ in STATEMENT.findall(path.read_text())
        if package in offering
        for name in re.findall(r"(?:^|[(,])\s*(\w+)", names)
        if not text(f"{package}.{name}")
    ]
    assert len(files) > 200
    assert not taken, "\n".join(taken)


def test_the_format_of_the_files_changes_the_params_of_everything(repository, monkeypatch):
    monkeypatch.setattr(dependencies, "FORMAT", dependencies.FORMAT + 1)
    assert repository.changed({}) == set(repository.before)


@pytest.mark.parametrize(
    "path",
    [
        *("attnsvm/pipeline/captions.py", "attnsvm/pipeline/plan.py", "attnsvm/pipeline/modules.py"),
        *("attnsvm/publish/documents/docs.py", "attnsvm/pipeline/verify.py", "attnsvm/pipeline/configuration.py"),
        *("tests/test_x.py", "docs/paper.md", "README.md", "benchmarks/descent.py"),
    ],
)
def test_an_edit_of_what_no_job_imports_changes_no_params(repository, path):
    assert path.startswith(("tests", "docs", "README", "benchmarks")) or (repository.folder / path).exists()
    assert repository.changed({path: CODE}) == set()


def test_comments_docstrings_and_layout_change_no_params(repository):
    def reworded(text):
        start = text.index('"""') + 3
        return f"# edited\n\n{text[:start]}Edited. {text[start:]}\n\n\n# edited\n"

    files = [path.relative_to(repository.folder) for path in repository.folder.rglob("attnsvm/**/*.py")]
    documented = [path for path in files if (repository.folder / path).read_text().startswith('"""')]
    assert len(documented) > 100
    assert repository.changed({str(path): reworded for path in documented}) == set()


OWN = [
    (name, part)
    for name in ("svm_rank", "multi_token", "layers")
    for part in (*cards.STAGES, "figure")
    if (cards.folders()[name] / f"{part}.py").exists()
]


@pytest.mark.parametrize(("name", "part"), OWN)
def test_an_edit_of_one_module_of_an_experiment_changes_the_params_of_that_stage_alone(repository, name, part):
    """And of the experiments whose card is like it or whose module imports it: they say so."""
    path = f"{cards.place(name)}/{part}.py"
    wanted = users(dotted(path), parts=(*cards.STAGES, "figure"))
    assert (part, name) in wanted
    assert repository.changed({path: CODE}) - ALL["provenance"] == wanted


def test_an_edit_of_claims_checks_all_anew_and_draws_what_shows_them(repository):
    path = f"{cards.place('layers')}/claims.py"
    wanted = {job for job in users(dotted(path), parts=("figure", "claims")) if job[0] == "figure"}
    assert repository.changed({path: CODE}) - ALL["provenance"] == wanted | ALL["claims"]


def models(name):
    """The experiment that a card is like, or on whose unseen seeds it is, the one that this is like, and so on."""
    found = re.search(r"^like: (\w+)$", (cards.folders()[name] / "card.yaml").read_text(), re.MULTILINE)
    other = cards.read(name).parent if cards.read(name).on else found and found[1]
    return [other, *models(other)] if other else []


SHOWING = {"figure", "claims"}  # they may say what is usual
CARD_EDITS = {
    "value that smoke overrides": (RANK, with_setting("problems", "instances", value=50), SHOWING),
    "value": (LOCAL, with_setting("problems", "n", value=5), {"problems"} | SHOWING),
    "smoke value": (LOCAL, with_setting("problems", "instances", smoke=7), {"problems"}),
    "value of another stage": (LOCAL, with_setting("descent", "steps", smoke=150), {"descent"}),
    "value of the measures": (LOCAL, with_setting("measures", "drawn_steps", smoke=50), {"measures"}),
    "bounds": (LOCAL, with_setting("problems", "n", maximum=99), set()),
    "sentence of a setting": (LOCAL, with_setting("problems", "n", text="Edited."), set()),
    "caption": (LOCAL, with_keys(caption="Edited."), set()),
    "notes": (LOCAL, with_keys(notes="Edited."), set()),
    "columns' text": (LOCAL, lambda text: text.replace("Number of updates done.", "Edited."), set()),
    "order of the keys": (LOCAL, lambda text: yaml.safe_dump(yaml.safe_load(text)), set()),
    "fixed": (LOCAL, with_keys(fixed={"attention": "cross", "new": 1}), {"problems", "descent", "svm", "measures"}),
}


@pytest.mark.parametrize("what", CARD_EDITS)
def test_an_edit_of_a_card_changes_the_params_of_the_stages_it_sets(repository, what):
    path, edit, stages = CARD_EDITS[what]
    own = Path(path).parent.name
    like = {own} | {name for name in EXPERIMENTS if own in models(name)}
    changed = repository.changed({path: edit})
    assert {rule for rule, _ in changed if rule != "provenance"} == stages
    stages = stages - SHOWING
    assert {name for rule, name in changed if rule in cards.STAGES} == (like if stages else set())
    drawing = {figure for figure in FIGURES if like & set(CARDS[figure].draws)} | {"audit"}
    said = bool(stages) and what != "fixed"  # a figure's provenance says what a user may set
    assert {name for rule, name in changed if rule == "provenance"} == (drawing if said else set())


def test_an_edit_of_a_title_changes_the_params_of_its_figure_and_of_the_page_of_claims(repository):
    changed = repository.changed({LOCAL: with_keys(title="Edited.")})
    assert changed == {("figure", Path(LOCAL).parent.name)} | ALL["claims"]
