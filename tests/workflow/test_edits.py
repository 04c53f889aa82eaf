"""What an edit reruns: what can change a number, by content, whatever the dates say.

Two ways of asking. The table asks the functions from which the rules take a job's params (attnsvm.pipeline.jobs and
configuration), in this process, before and after an edit: they see no dates. The dry runs ask Snakemake itself, each
with a new and with an old date, and must say exactly what the table says, job by job.
"""

import os
import re
import shutil
from functools import cache
from pathlib import Path

import pytest
import yaml
from harness import BUILT, LONG_AGO, NOTHING, ROOT, clone, dry, edited, scheduled

from attnsvm.pipeline import cards, configuration, dependencies, jobs

CARDS = {card.name: card for card in cards.every()}
EXPERIMENTS = [card.name for card in cards.experiments()]
FIGURES = [card.name for card in cards.figures()]
ALL = {
    "figure": {("figure", name) for name in FIGURES},
    "claims": {("claims", "claim")},
    "audit_figure": {("audit_figure", "audit")},
    "provenance": {("provenance", name) for name in [*FIGURES, "audit"]},
}


def append(text):
    return lambda old: f"{old}\n{text}\n"


def change(old, new):
    def changed(text):
        assert old in text, f"{old!r} is not there to be edited"
        return text.replace(old, new, 1)

    return changed


CODE = append("_EDITED = 1")
COMMENT = append("# edited")


# By the text: an edit changes one file of a hundred.
digest_of = cache(dependencies.code_digest)
search = dependencies._imports.__wrapped__
known = {}


def hashed(text):  # `forget` empties no cache of ours
    return digest_of(text)


def imports_of(module):
    file = dependencies._file(module)
    key = module, file.read_text("utf-8") if file.exists() else ""
    if key not in known:
        known[key] = search(module)
    return known[key]


class Repository:
    """A copy of the repository whose params this process computes, as if it were our own."""

    def __init__(self, folder):
        self.folder = folder
        with self:
            self.before = self.params()

    def __enter__(self):
        self.patch = pytest.MonkeyPatch()
        self.patch.setattr(cards, "HERE", self.folder / "attnsvm/pipeline")
        self.patch.setattr(cards, "FOLDER", self.folder / "attnsvm/experiments")
        self.patch.setattr(dependencies, "ROOT", self.folder)
        self.patch.setattr(dependencies, "code_digest", hashed)
        self.patch.setattr(dependencies, "_imports", imports_of)

    def __exit__(self, *_):
        self.patch.undo()
        forget()

    def params(self):
        """{(rule, name): what a job of it has among its params}, at smoke scale."""
        forget()
        resolved = configuration.resolve({"scale": "smoke"})
        found = {}
        for card in cards.experiments():
            for stage in card.stages:
                settings = configuration.stage_settings(card, resolved, stage)
                found[stage, card.name] = repr(settings), jobs.stage_code(card.name, stage)
        for card in cards.figures():
            found["figure", card.name] = repr(resolved["figures"]), jobs.figure_code(card.name)
        found["claims", "claim"] = jobs.claims_code()
        found["audit_figure", "audit"] = repr(resolved["figures"]), jobs.audit_figure_code()
        for name in [*(card.name for card in cards.figures()), "audit"]:
            behind = {other: resolved["experiments"][other] for other in jobs.behind(name)}
            own = repr(behind), repr(resolved["figures"]), tuple(jobs.all_files(name)), jobs.provenance_code()
            found["provenance", name] = own
        return found

    def changed(self, changes):
        """The jobs whose params an edit changes."""
        with self, edited(self.folder, changes):
            after = self.params()
        return {job for job in {*self.before, *after} if self.before.get(job) != after.get(job)}


def forget():
    for module in (cards, dependencies):
        for value in vars(module).values():
            if hasattr(value, "cache_clear"):
                value.cache_clear()


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    folder = tmp_path_factory.mktemp("repository")
    shutil.copytree(ROOT / "attnsvm", folder / "attnsvm", ignore=shutil.ignore_patterns("__pycache__"))
    return Repository(folder)


def following(changed):
    """The jobs of `changed` and all that read what they make."""
    found, todo = set(), set(changed)
    while todo:
        found |= todo
        todo = {after for job in todo for after in readers(*job)} - found
    return found


def readers(rule, name):
    """The jobs that read what a job makes."""
    if rule == "provenance":
        return set()
    if rule in ("claims", "audit_figure"):
        return {("provenance", "audit")} | (ALL["audit_figure"] if rule == "claims" else set())
    if rule == "figure":
        return {("provenance", name), *ALL["claims"]}
    if rule != "measures":
        card = CARDS[name]
        return {(stage, name) for stage in card.stages if stage != rule and rule in jobs.earlier(card, stage)}
    figures = {figure for figure in FIGURES if name in CARDS[figure].draws}
    return {(rule, figure) for figure in figures for rule in ("figure", "provenance")} | {
        *ALL["claims"],
        ("provenance", "audit"),
    }


def source(module):
    return ROOT.joinpath(*module.split(".")).with_suffix(".py").read_text()


def mentioning(*names, parts=cards.STAGES):
    """The stages whose module imports one of `names`, itself or through a module of an experiment: {(stage, name)}."""
    parted = [name.rpartition(".") for name in names]
    patterns = [rf"^from {over} import .*\b{own}\b|^(from|import) {over}\.{own}\b" for over, _, own in parted]

    def says(module, seen=()):
        text = source(module)
        if any(re.search(pattern, text, re.MULTILINE) for pattern in patterns):
            return True
        others = {".".join(found) for found in re.findall(r"from (attnsvm\.experiments\.\w+) import (\w+)", text)}
        others |= set(re.findall(r"(?:from|import) (attnsvm\.experiments\.\w+\.\w+)", text))
        return any(says(other, (*seen, module)) for other in others if other not in seen)

    return {
        (part, card.name)
        for card in cards.every()
        for part in parts
        if part in card.modules and says(card.modules[part])
    }


# ---- the table: which params an edit changes --------------------------------------------------------------------

TRAINING, SVM = ("attnsvm.training",), ("attnsvm.svm",)
NO_TRAINING = ("problems", "descent", "svm", "measures")
SHARED = {
    "attnsvm/training/kernels.py": lambda: mentioning(*TRAINING),
    "attnsvm/svm/nuclear.py": lambda: mentioning(*SVM),
    "attnsvm/svm/checker.py": lambda: mentioning(*SVM),
    "attnsvm/norms.py": lambda: mentioning(*SVM, "attnsvm.norms", "attnsvm.training.regularisation"),
    "attnsvm/cells.py": lambda: {(stage, name) for name in EXPERIMENTS for stage in ("problems", "measures")},
    "attnsvm/pipeline/gathering.py": lambda: {("measures", name) for name in EXPERIMENTS},
    "attnsvm/plots/style.py": lambda: ALL["figure"] | ALL["audit_figure"],
    "attnsvm/audit/figure.py": lambda: ALL["audit_figure"],
    "attnsvm/audit/table.py": lambda: ALL["claims"],
    "attnsvm/audit/page.html.j2": lambda: ALL["claims"],
    "attnsvm/pipeline/provenance.py": lambda: ALL["provenance"],
}


@pytest.mark.parametrize("path", SHARED)
def test_an_edit_of_shared_code_changes_the_params_of_what_runs_it(repository, path):
    changed, wanted = repository.changed({path: CODE}), SHARED[path]()
    assert wanted
    if path.startswith(("attnsvm/svm", "attnsvm/training")):
        assert {rule for rule, _ in wanted} <= {"descent", "svm"}
    # What the audit measures in the tables may use a norm or a correlation too; no stage does unseen.
    assert {job for job in changed if job[0] in NO_TRAINING} == {job for job in wanted if job[0] in NO_TRAINING}
    assert wanted <= changed <= wanted | ALL["claims"] | ALL["audit_figure"] | ALL["provenance"]


def test_the_format_of_the_files_changes_the_params_of_everything(repository, monkeypatch):
    monkeypatch.setattr(dependencies, "FORMAT", dependencies.FORMAT + 1)
    assert repository.changed({}) == set(repository.before)


@pytest.mark.parametrize(
    "path",
    [
        *("attnsvm/pipeline/progress.py", "attnsvm/pipeline/script.py", "attnsvm/pipeline/stages.py"),
        *("attnsvm/pipeline/cards.py", "attnsvm/pipeline/checking.py", "attnsvm/pipeline/configuration.py"),
        *("attnsvm/pipeline/captions.py", "attnsvm/pipeline/answers.py", "attnsvm/pipeline/jobs.py"),
        *("attnsvm/pipeline/dependencies.py", "attnsvm/pipeline/documents.py", "attnsvm/files/verify.py"),
        *("tests/test_x.py", "docs/figures.md", "README.md", "benchmarks/descent.py"),
    ],
)
def test_an_edit_of_what_decides_over_no_number_changes_no_params(repository, path):
    assert path.startswith(("tests", "docs", "README", "benchmarks")) or (repository.folder / path).exists()
    assert repository.changed({path: CODE}) == set()


def test_the_messages_of_the_store_change_no_params_of_a_stage(repository):
    """Figures and claims write and read through it, and are made anew."""
    edit = {"attnsvm/files/store.py": change("damaged or truncated", "broken")}
    assert repository.changed(edit) <= ALL["figure"] | ALL["claims"] | ALL["audit_figure"]


def test_comments_docstrings_and_layout_change_no_params(repository):
    def reworded(text):
        start = text.index('"""') + 3
        return f"# edited\n\n{text[:start]}Edited. {text[start:]}\n\n\n# edited\n"

    files = [path.relative_to(repository.folder) for path in repository.folder.rglob("attnsvm/**/*.py")]
    documented = [path for path in files if (repository.folder / path).read_text().startswith('"""')]
    assert len(documented) > 100
    assert repository.changed({str(path): reworded for path in documented}) == set()


OWN = [(card.name, part) for card in cards.every() for part in card.modules if f".{card.name}." in card.modules[part]]


@pytest.mark.parametrize(("name", "part"), OWN, ids=["-".join(pair) for pair in OWN])
def test_an_edit_of_one_module_of_an_experiment_changes_the_params_of_that_stage_alone(repository, name, part):
    """And of the experiments whose card is like it or whose module imports it: they say so."""
    module = f"attnsvm.experiments.{name}"
    changed = repository.changed({f"attnsvm/experiments/{name}/{part}.py": CODE})
    parts = (*cards.STAGES, "figure", "claims")
    users = mentioning(f"{module}.{part}", parts=parts)
    users |= {(p, card.name) for card in cards.every() for p in parts if card.modules.get(p) == f"{module}.{part}"}
    users |= {
        (p, card.name)
        for card in cards.every()
        for p in parts
        if p in card.modules and re.search(rf"from {re.escape(module)} import .*\b{part}\b", source(card.modules[p]))
    }
    claiming = bool({rule for rule, _ in users} & {"claims"})
    assert changed == {job for job in users if job[0] != "claims"} | (ALL["claims"] if claiming else set())
    assert changed


def test_most_experiments_stand_alone(repository):
    """No other experiment's params change with those of one, but for twins and panels that are shared on purpose."""
    tied = set()
    for name in EXPERIMENTS:
        changes = {
            f"attnsvm/experiments/{name}/{part}.py": CODE for own, part in OWN if own == name and part != "claims"
        }
        if changes:
            tied |= {(name, other) for _, other in repository.changed(changes) if other != name}
    said = {
        (name, card.name)
        for card in cards.every()
        for name in EXPERIMENTS
        if name != card.name
        and (f"like: {name}" in (cards.FOLDER / card.name / "card.yaml").read_text() or name in card.draws)
    }
    assert {pair for pair in tied if pair not in said} <= {pair for pair in tied if imports(*pair)}
    assert len(tied) < len(EXPERIMENTS)


def imports(name, other):
    texts = (path.read_text() for path in (ROOT / "attnsvm/experiments" / other).glob("*.py"))
    return any(f"attnsvm.experiments.{name}" in text for text in texts)


def with_setting(stage, key, **changes):
    def changed(text):
        card = yaml.safe_load(text)
        card["settings"][stage][key] |= changes
        return yaml.safe_dump(card, sort_keys=False, allow_unicode=True)

    return changed


def with_keys(**changes):
    return lambda text: yaml.safe_dump(yaml.safe_load(text) | changes, sort_keys=False, allow_unicode=True)


LOCAL, RANK = "attnsvm/experiments/local_convergence/card.yaml", "attnsvm/experiments/svm_rank/card.yaml"
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
    "title": (LOCAL, with_keys(title="Edited."), set()),
    "columns' text": (LOCAL, lambda text: text.replace("Number of updates done.", "Edited."), set()),
    "order of the keys": (LOCAL, lambda text: yaml.safe_dump(yaml.safe_load(text)), set()),
    "fixed": (LOCAL, with_keys(fixed={"attention": "cross", "new": 1}), {"problems", "descent", "svm", "measures"}),
}


@pytest.mark.parametrize("what", CARD_EDITS)
def test_an_edit_of_a_card_changes_the_params_of_the_stages_it_sets(repository, what):
    path, edit, stages = CARD_EDITS[what]
    own = Path(path).parent.name
    like = {own} | {
        card.name for card in cards.experiments() if card.modules["problems"] == CARDS[own].modules["problems"]
    }
    changed = repository.changed({path: edit})
    assert {rule for rule, _ in changed if rule != "provenance"} == stages
    assert {name for rule, name in changed if rule in cards.STAGES} == (like if stages else set())
    drawing = {figure for figure in FIGURES if like & set(CARDS[figure].draws)} | {"audit"}
    said = bool(stages) and what != "fixed"  # a figure's provenance says what a user may set
    assert {name for rule, name in changed if rule == "provenance"} == (drawing if said else set())


def test_a_new_experiment_changes_the_params_of_no_other(repository):
    """The audit reads them all: its provenance says so, its claims read one csv more."""
    original = repository.folder / "attnsvm/experiments/svm_rank"
    new = {f"attnsvm/experiments/newcomer/{path.name}": path.read_text() for path in original.glob("*.*")}
    del new["attnsvm/experiments/newcomer/claims.py"]
    changed = repository.changed(new)
    stages = {*CARDS["svm_rank"].stages, "figure", "provenance"}
    assert changed == {(rule, "newcomer") for rule in stages} | {("provenance", "audit")}
    (repository.folder / "attnsvm/experiments/newcomer").rmdir()


# ---- the dry runs: Snakemake says the same, with new dates and with old ones ------------------------------------

DATES = {"new": None, "old": LONG_AGO}


def predicted(folder, changes):
    """What the table says would run in a folder, downstream included."""
    return following(Repository(folder).changed(changes))


EDITS = {
    "kernel": {"attnsvm/training/kernels.py": CODE},
    "solver, checker and a norm": {
        **{
            "attnsvm/svm/nuclear.py": change("MAX_ITERATIONS = ", "MAX_ITERATIONS = 1 + "),
            "attnsvm/svm/checker.py": CODE,
        },
        **{"attnsvm/norms.py": CODE},
    },
    "style": {
        "attnsvm/plots/style.py": change('BLUE, VERMILLION, GREEN = "#0072B2"', 'BLUE, VERMILLION, GREEN = "#0072B3"')
    },
    "modules of experiments": {
        **{"attnsvm/experiments/svm_rank/svm.py": CODE, "attnsvm/experiments/local_convergence/descent.py": CODE},
        **{"attnsvm/experiments/cone/measures.py": CODE, "attnsvm/experiments/positional/figure.py": CODE},
        **{"attnsvm/experiments/hyperplanes/problems.py": CODE},
    },
    "cards": {LOCAL: with_setting("descent", "steps", smoke=150), RANK: with_keys(caption="Edited.", title="Edited.")},
    "provenance": {"attnsvm/pipeline/provenance.py": CODE},
    "templates of the audit": {"attnsvm/audit/page.html.j2": append("<!-- edited -->")},
    "plumbing": {
        **{
            f"attnsvm/pipeline/{name}.py": CODE for name in ("progress", "script", "stages", "cards", "answers", "jobs")
        },
        **{"tests/test_x.py": CODE, "docs/figures.md": "edited", "README.md": "edited"},
    },
}
NAMED = {"plumbing": 0, "provenance": len(FIGURES) + 1, "templates of the audit": 3}


@pytest.mark.parametrize("date", DATES)
@pytest.mark.parametrize("what", EDITS)
def test_a_dry_run_says_what_the_table_says(copy, what, date):
    wanted = predicted(copy, EDITS[what])
    assert len(wanted) == NAMED[what] if what in NAMED else wanted
    with edited(copy, EDITS[what], DATES[date]):
        assert scheduled(dry(copy)) == wanted


@pytest.mark.parametrize("date", DATES)
def test_comments_everywhere_rerun_nothing(copy, date):
    files = [path.relative_to(copy) for top in ("attnsvm", "workflow") for path in (copy / top).rglob("*.py")]
    changes = {str(path): COMMENT for path in files} | {"Snakefile": COMMENT, "workflow/rules/svm.smk": COMMENT}
    with edited(copy, changes, DATES[date]):
        assert NOTHING in dry(copy).stdout


def files_of(folder):
    return [path for path in folder.rglob("*") if path.is_file() and ".snakemake" not in path.parts]


@pytest.mark.parametrize("date", DATES)
def test_another_date_of_every_file_reruns_nothing(copy, date):
    """Sources only, then all; an old date of the results alone would make their sources newer, of the same content."""
    for chosen in ([path for path in files_of(copy) if BUILT not in path.parts], files_of(copy)):
        for path in chosen:
            os.utime(path, DATES[date] and (DATES[date], DATES[date]))
        assert NOTHING in dry(copy).stdout


@pytest.mark.parametrize("date", DATES)
def test_a_new_experiment_reruns_nothing_of_another(copy, date):
    new = shutil.copytree(copy / "attnsvm/experiments/svm_rank", copy / "attnsvm/experiments/newcomer")
    (new / "claims.py").unlink()
    if DATES[date]:
        for path in new.iterdir():
            os.utime(path, (DATES[date], DATES[date]))
    own = {(rule, "newcomer") for rule in (*CARDS["svm_rank"].stages, "figure", "provenance")}
    assert scheduled(dry(copy, "figures/all")) == own
    # The audit counts the certificates of every experiment.
    assert scheduled(dry(copy)) == own | ALL["claims"] | ALL["audit_figure"] | {("provenance", "audit")}


@pytest.mark.parametrize(
    "how", [["--cores", "1"], ["--set-threads", "descent=2", "svm=2"], ["--workflow-profile", "another"]]
)
def test_how_it_runs_reruns_nothing(copy, how):
    (copy / "another").mkdir()
    default = (ROOT / "profiles/default/config.yaml").read_text()
    (copy / "another/config.yaml").write_text(default + "latency-wait: 9\nset-resources: {svm: {runtime: 7}}\n")
    assert NOTHING in dry(copy, "figures/all", "audit", *how).stdout


@pytest.mark.parametrize(
    ("changed", "rerun"),
    [
        ({"figures": {"dpi": 72}}, {("figure", name) for name in FIGURES}),
        (
            {"experiments": {"local_convergence": {"measures": {"drawn_steps": 50}}}},
            {("measures", "local_convergence")},
        ),
        ({"experiments": {"local_convergence": {"descent": {"steps": 150}}}}, {("descent", "local_convergence")}),
        ({"experiments": {"svm_rank": {"problems": {"instances": 5}}}}, {("problems", "svm_rank")}),
    ],
    ids=["dpi", "drawn_steps", "steps", "instances"],
)
def test_a_changed_setting_reruns_what_depends_on_it(built, changed, rerun):
    figures = {name for name in FIGURES if {other for _, other in rerun} & {name, *CARDS[name].draws}}
    of_the_audit = ALL["claims"] | ALL["audit_figure"] | {("provenance", "audit")}
    wanted = following(rerun) - of_the_audit
    assert {name for rule, name in wanted if rule == "figure"} == figures
    assert scheduled(dry(built, "figures/all", extra=changed)) == wanted


# ---- a fresh clone ---------------------------------------------------------------------------------------------


@pytest.fixture
def fresh(built, tmp_path):
    """A fresh clone, its sources as old as itself, into which a finished run's results and figures were copied."""

    def make(*keep):
        folder = clone(built, tmp_path / "fresh", *(f"{BUILT}/{name}" for name in keep))
        for path in files_of(folder):
            if BUILT not in path.parts:
                path.touch()
        return folder

    return make


def test_results_and_figures_copied_into_a_fresh_clone_are_up_to_date(fresh):
    assert NOTHING in dry(fresh("results", "figures")).stdout


def test_results_copied_into_a_fresh_clone_are_only_drawn(fresh):
    assert scheduled(dry(fresh("results"), "figures/all")) == ALL["figure"] | {("provenance", name) for name in FIGURES}


@pytest.mark.parametrize("date", DATES)
def test_edited_code_in_a_fresh_clone_reruns_whatever_its_date(fresh, date):
    """As found once: with Frobenius doubled and the nuclear solver cut short there was nothing to be done."""
    folder = fresh("results", "figures")
    changes = {
        "attnsvm/norms.py": CODE,
        "attnsvm/svm/nuclear.py": change("MAX_ITERATIONS = ", "MAX_ITERATIONS = 1 + "),
    }
    wanted = predicted(folder, changes)
    assert {("svm", name) for name in EXPERIMENTS if "svm" in CARDS[name].stages} <= wanted
    with edited(folder, changes, DATES[date]):
        assert scheduled(dry(folder)) == wanted


def test_a_deleted_intermediate_behind_a_figure_that_is_there_is_not_missed(copy):
    """As docs/trust.md says: what is up to date stands, and what is needed for something else is built anew."""
    for path in (copy / BUILT / "results/svm_rank").glob("*/*.npz"):
        path.unlink()
    assert NOTHING in dry(copy).stdout
    (copy / BUILT / "results/svm_rank/measures.parquet").unlink()
    (copy / BUILT / "figures/svm_rank.png").unlink()
    wanted = {(rule, "svm_rank") for rule in (*CARDS["svm_rank"].stages, "figure", "provenance")}
    assert scheduled(dry(copy, "figures/all")) == wanted
