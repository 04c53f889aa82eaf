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
    change,
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


def of(stage, *names):
    return {(stage, name) for name in names}


# KNOWN are the experiments for which the tables below say by hand which files they run; for experiments that came later
# the text of the imports says it.
KNOWN = [
    "adam",
    "attention_variants",
    "cone",
    "convergence_types",
    "factors",
    "feasibility",
    "generalisation",
    "geometries",
    "heads",
    "hierarchy",
    "hyperplanes",
    "joint",
    "ladder",
    "layer_shapes",
    "layers",
    "local_convergence",
    "mirror_descent",
    "multi_token",
    "next_token",
    "norm_growth",
    "normalisation",
    "overview",
    "penalised_head",
    "positional",
    "rate_reduction",
    "regularisation_path",
    "router",
    "rules_layers",
    "selection_by_rule",
    "self_attention",
    "self_convergence_types",
    "self_local_convergence",
    "sequence",
    "svm_rank",
    "token_count",
    "trained",
    "trajectories",
]
STACKED = of("descent", "heads", "hierarchy", "joint", "layer_shapes", "layers", "rules_layers")
ON_TAPE = of("descent", "attention_variants", "ladder", "router") | {
    (stage, "attention_variants") for stage in ("svm", "measures")
}
MANY_NORMS = {
    (stage, name)
    for stage in ("descent", "svm", "measures")
    for name in ("adam", "factors", "geometries", "rules_layers", "selection_by_rule")
} - of("measures", "selection_by_rule")
NARROW = {
    "attnsvm/svm/graph.py": of("svm", "next_token"),
    "attnsvm/svm/composed.py": of("svm", "heads"),
    "attnsvm/svm/published.py": of("svm", "svm_rank"),
    "attnsvm/svm/estimator.py": set(),
    "attnsvm/svm/certificate.py": set(),
    "attnsvm/svm/stacks.py": of("svm", "hierarchy", "layer_shapes", "layers", "rules_layers") | of("descent", "layers"),
    "attnsvm/data/graphs.py": {(stage, "next_token") for stage in ("problems", "descent", "svm")},
    "attnsvm/geometry/spectral.py": MANY_NORMS,
    "attnsvm/geometry/linf.py": MANY_NORMS,
    "attnsvm/geometry/rowmax.py": {job for job in MANY_NORMS if job[1] in ("geometries", "rules_layers")},
    "attnsvm/training/rules/adam.py": of("descent", "adam", "selection_by_rule"),
    "attnsvm/training/rules/mirror.py": of("descent", "mirror_descent"),
    "attnsvm/training/rules/schedule.py": of("descent", "adam", "factors"),
    "attnsvm/training/rules/balanced.py": of("descent", "factors"),
    "attnsvm/training/rules/steepest.py": {job for job in MANY_NORMS if job[0] == "descent"},
    "attnsvm/training/rules/momentum.py": set(),
    "attnsvm/training/heads/relu.py": of("descent", "multi_token"),
    "attnsvm/training/heads/penalised.py": of("descent", "penalised_head"),
    "attnsvm/training/adamw.py": of("descent", "ladder", "trained"),
    **{f"attnsvm/training/stack/{name}.py": STACKED for name in ("descent", "kernels", "log", "start")},
    "attnsvm/training/tape/layers.py": of("descent", "ladder"),
    "attnsvm/training/tape/descent.py": ON_TAPE,
    **{
        f"attnsvm/training/tape/{name}.py": ON_TAPE | of("descent", "next_token")
        for name in ("attention", "gradient", "node", "scaled")
    },
    "attnsvm/pipeline/running/gathering.py": of("measures", *KNOWN) & {("measures", name) for name in EXPERIMENTS},
}
# Files that many experiments run: the text of the import statements says which.
WIDE = (
    *(f"attnsvm/training/rules/{name}.py" for name in ("gradient_descent", "joint", "protocol")),
    *(f"attnsvm/training/heads/{name}.py" for name in ("base", "linear")),
    *(f"attnsvm/training/{name}.py" for name in ("matrices", "compiled", "kernels", "descent")),
    *(f"attnsvm/training/{name}.py" for name in ("runs", "log", "start")),
    *(f"attnsvm/svm/{name}.py" for name in ("solution", "constraints", "instances", "checker", "solver")),
    *("attnsvm/svm/methods/interior_point.py", "attnsvm/training/lanes/singular.py"),
    *("attnsvm/geometry/__init__.py", "attnsvm/geometry/fro.py"),
    *(f"attnsvm/analysis/{name}.py" for name in ("selection", "margins", "directions", "statistics", "measured")),
    *(f"attnsvm/data/{name}.py" for name in ("problems", "cells", "draws")),
    *(f"attnsvm/{name}.py" for name in ("architecture", "errors", "lazy")),
)


def dotted(path):
    return path.removesuffix("/__init__.py").removesuffix(".py").replace("/", ".")


@pytest.mark.parametrize("path", [*NARROW, *WIDE])
def test_an_edit_of_shared_code_changes_the_params_of_the_stages_that_run_it(repository, path):
    wanted, drawn = users(dotted(path)), users(dotted(path), parts=("figure",))
    known = {job for job in wanted if job[1] in KNOWN}
    assert NARROW.get(path, known) == known
    assert wanted or path in NARROW
    changed = repository.changed({path: CODE})
    assert {job for job in changed if job[0] in (*cards.STAGES, "figure")} == wanted | drawn
    assert changed <= wanted | drawn | ALL["claims"] | ALL["audit_figure"] | ALL["provenance"]


@pytest.mark.parametrize("path", WIDE)
def test_no_file_is_run_by_every_stage_but_for_what_all_need(path):
    every = {(stage, name) for name in EXPERIMENTS for stage in CARDS[name].stages}
    assert (users(dotted(path)) == every) == (path == "attnsvm/lazy.py")


SHOWN = {
    "attnsvm/plots/style.py": lambda: ALL["figure"] | ALL["audit_figure"],
    "attnsvm/audit/figure.py": lambda: ALL["audit_figure"],
    "attnsvm/audit/headline.py": lambda: ALL["figure"] | ALL["audit_figure"],
    "attnsvm/audit/table.py": lambda: ALL["claims"],
    "attnsvm/audit/page.html.j2": lambda: ALL["claims"],
    "attnsvm/pipeline/provenance.py": lambda: ALL["provenance"],
}


@pytest.mark.parametrize("path", SHOWN)
def test_an_edit_of_what_shows_numbers_changes_the_params_of_no_stage(repository, path):
    assert repository.changed({path: CODE}) == SHOWN[path]()


def test_experiments_import_from_the_file_that_they_use():
    """So the text of their import statements says what they run, which is how `users` knows."""
    offering = ("attnsvm.svm", "attnsvm.training", "attnsvm.training.stack", "attnsvm.audit")
    files = [*cards.FOLDER.rglob("*.py"), *(ROOT / "attnsvm/pipeline/first_use/template").glob("*.py")]
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
        *(f"attnsvm/pipeline/running/{name}.py" for name in ("auditing", "reporting", "stages")),
        *("attnsvm/pipeline/cards.py", "attnsvm/pipeline/checking.py", "attnsvm/pipeline/configuration.py"),
        *("attnsvm/pipeline/captions.py", "attnsvm/pipeline/answers.py"),
        *("attnsvm/pipeline/plan.py", "attnsvm/pipeline/modules.py"),
        *("attnsvm/pipeline/hashes/dependencies.py", "attnsvm/publish/documents/docs.py", "attnsvm/pipeline/verify.py"),
        *("tests/test_x.py", "docs/figures.md", "README.md", "benchmarks/descent.py"),
    ],
)
def test_an_edit_of_what_decides_over_no_number_changes_no_params(repository, path):
    assert path.startswith(("tests", "docs", "README", "benchmarks")) or (repository.folder / path).exists()
    assert repository.changed({path: CODE}) == set()


def test_the_messages_of_the_store_change_no_params_of_a_stage(repository):
    """Figures and claims write and read through it, and are made anew."""
    edit = {"attnsvm/store.py": change("damaged or truncated", "broken")}
    assert repository.changed(edit) <= ALL["figure"] | ALL["claims"] | ALL["audit_figure"]


def test_comments_docstrings_and_layout_change_no_params(repository):
    def reworded(text):
        start = text.index('"""') + 3
        return f"# edited\n\n{text[:start]}Edited. {text[start:]}\n\n\n# edited\n"

    files = [path.relative_to(repository.folder) for path in repository.folder.rglob("attnsvm/**/*.py")]
    documented = [path for path in files if (repository.folder / path).read_text().startswith('"""')]
    assert len(documented) > 100
    assert repository.changed({str(path): reworded for path in documented}) == set()


EVERY = [card for card in cards.every() if not card.optional]  # those of every run
OWN = [(card.name, part) for card in EVERY for part, module in card.modules.items() if f".{card.name}." in module]


def file(name, part):
    return f"{cards.place(name)}/{part}.py"


def in_groups(wanted):
    """The edits in groups of some 17, each edit in three, and alone where they do not tell it from others.

    wanted: the jobs that each edit may change. Of every edit and every job, one group holds the edit and no other that
    may change the job: so what an edit changes and should not, or does not change and should, is seen.
    """
    edits, count = [*wanted], -(-len(wanted) // 17)
    groups = [
        [edit for i, edit in enumerate(edits) if (i + turn * (i // count)) % count == k]
        for turn in range(3)
        for k in range(count)
    ]
    others = {
        edit: [set().union(*(wanted[other] for other in group if other != edit)) for group in groups if edit in group]
        for edit in edits
    }
    return groups + [[edit] for edit in edits if set.intersection(*others[edit])]


def test_an_edit_of_one_module_of_an_experiment_changes_the_params_of_that_stage_alone(repository):
    """And of the experiments whose card is like it or whose module imports it: they say so."""

    def wrong(edits):
        changed = repository.changed({file(*edit): CODE for edit in edits})
        return changed ^ set().union(*(wanted[edit] for edit in edits))

    parts = (*cards.STAGES, "figure", "claims")
    by_text = {edit: users(dotted(file(*edit)), parts=parts) for edit in OWN}
    claiming = {edit: jobs for edit, jobs in by_text.items() if edit[1] == "claims"}
    wanted = {edit: jobs for edit, jobs in by_text.items() if edit not in claiming}
    assert claiming
    assert all(by_text.values())
    assert not {rule for jobs in wanted.values() for rule, _ in jobs} & {"claims"}
    assert {rule for jobs in claiming.values() for rule, _ in jobs} == {"claims", "figure"}
    groups = in_groups(wanted)
    assert {edit for group in groups for edit in group} == {*wanted}
    blamed = [edit for group in groups if wrong(group) for edit in group]
    assert not blamed, {edit: jobs for edit in blamed if (jobs := wrong([edit]))}
    headed = {job for jobs in claiming.values() for job in jobs if job[0] == "figure"}
    assert repository.changed({file(*edit): CODE for edit in claiming}) == ALL["claims"] | headed
    assert not [edit for edit in claiming if not repository.checks_anew({file(*edit): CODE})]


def test_most_experiments_stand_alone():
    """No other experiment's params change with those of one, but for twins and panels that are shared on purpose."""
    tied = set()
    for name in EXPERIMENTS:
        own = [dotted(file(name, part)) for each, part in OWN if each == name and part != "claims"]
        tied |= {(name, other) for _, other in users(*own, parts=(*cards.STAGES, "figure")) if other != name}
    said = {(name, card.name) for card in EVERY for name in {*card.draws, *models(card.name)}}
    assert {pair for pair in tied if pair not in said} <= {pair for pair in tied if imports(*pair)}
    assert len(tied) < len(EXPERIMENTS)


def models(name):
    """The experiment that a card is like, or on whose unseen seeds it is, the one that this is like, and so on."""
    found = re.search(r"^like: (\w+)$", (cards.folders()[name] / "card.yaml").read_text(), re.MULTILINE)
    other = cards.read(name).parent if cards.read(name).on else found and found[1]
    return [other, *models(other)] if other else []


def imports(name, other):
    folders = (cards.folders()[each] for each in (other, *models(other)))
    texts = (path.read_text() for folder in folders for path in folder.glob("*.py"))
    own = dotted(cards.place(name))
    return any(f"{own}." in text or f"{own} import" in text for text in texts)


CARD_EDITS = {
    "value that smoke overrides": (RANK, with_setting("problems", "instances", value=50), set()),
    "value": (LOCAL, with_setting("problems", "n", value=5), {"problems"}),
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
    assert {name for rule, name in changed if rule in cards.STAGES} == (like if stages else set())
    drawing = {figure for figure in FIGURES if like & set(CARDS[figure].draws)} | {"audit"}
    said = bool(stages) and what != "fixed"  # a figure's provenance says what a user may set
    assert {name for rule, name in changed if rule == "provenance"} == (drawing if said else set())


def test_an_edit_of_a_title_changes_the_params_of_its_figure_alone(repository):
    changed = repository.changed({LOCAL: with_keys(title="Edited.")})
    assert changed == {("figure", Path(LOCAL).parent.name)}


def test_a_new_experiment_changes_the_params_of_no_other(repository):
    """The audit reads them all: its provenance says so, its claims read one csv more."""
    original = repository.folder / "attnsvm/experiments/paper/svm_rank"
    new = {f"attnsvm/experiments/own/newcomer/{path.name}": path.read_text() for path in original.glob("*.*")}
    del new["attnsvm/experiments/own/newcomer/claims.py"]
    changed = repository.changed(new)
    stages = {*CARDS["svm_rank"].stages, "figure", "provenance"}
    assert changed == {(rule, "newcomer") for rule in stages} | {("provenance", "audit")}
    (repository.folder / "attnsvm/experiments/own/newcomer").rmdir()
