"""What an edit reruns, asked of Snakemake: a dry run says what the table says, job by job, whatever the dates.

The table is computed by edits.py, and tested in test_edits_table.py.
"""

import os
import shutil

import edits
import pytest
from edits import CARDS, CODE, COMMENT, Repository
from harness import BUILT, FEW, LONG_AGO, NOTHING, ROOT, build, clone, dry, edited, scheduled, snapshot


def here(jobs):
    """The jobs among these that a repository of FEW experiments has."""
    return {(rule, name) for rule, name in jobs if name in (*FEW, "claim", "audit")}


ALL = {rule: here(found) for rule, found in edits.ALL.items()}
EXPERIMENTS, FIGURES = ([name for name in found if name in FEW] for found in (edits.EXPERIMENTS, edits.FIGURES))


def following(changed):
    return here(edits.following(changed))


def predicted(folder, changes):
    """What the table says would run in a folder, downstream included."""
    return following(Repository(folder).changed(changes))


def test_comments_everywhere_rerun_nothing(workshop):
    files = [path.relative_to(workshop) for top in ("attnsvm", "workflow") for path in (workshop / top).rglob("*.py")]
    changes = {str(path): COMMENT for path in files} | {"Snakefile": COMMENT, "workflow/rules/blocks.smk": COMMENT}
    with edited(workshop, changes):
        assert NOTHING in dry(workshop).stdout


def files_of(folder):
    return [path for path in folder.rglob("*") if path.is_file() and ".snakemake" not in path.parts]


def test_another_date_of_every_file_reruns_nothing(copy):
    """New sources, then all old; an old date of the results alone would make their sources newer, of one content."""
    for path in files_of(copy):
        if BUILT not in path.parts:
            path.touch()
    assert NOTHING in dry(copy).stdout
    for path in files_of(copy):
        os.utime(path, (LONG_AGO, LONG_AGO))
    assert NOTHING in dry(copy).stdout


def test_a_new_experiment_reruns_nothing_of_another(copy):
    new = shutil.copytree(copy / "attnsvm/experiments/paper/svm_rank", copy / "attnsvm/experiments/own/newcomer")
    (new / "claims.py").unlink()
    for path in new.iterdir():
        os.utime(path, (LONG_AGO, LONG_AGO))
    own = {(rule, "newcomer") for rule in (*CARDS["svm_rank"].stages, "figure", "provenance")}
    # The audit counts the certificates of every experiment.
    assert scheduled(dry(copy)) == own | ALL["claims"] | ALL["audit_figure"] | {("provenance", "audit")}


def test_how_it_runs_reruns_nothing(workshop):
    default = (ROOT / "profiles/default/config.yaml").read_text()
    profile = default + "latency-wait: 9\nset-resources: {svm: {runtime: 7}}\n"
    how = ["--cores", "1", "--set-threads", "descent=2", "svm=2", "--workflow-profile", "another"]
    with edited(workshop, {"another/config.yaml": profile}):
        assert NOTHING in dry(workshop, "figures/all", "audit", *how).stdout


@pytest.mark.parametrize(
    ("changed", "rerun"),
    [
        ({"figures": {"dpi": 72}}, {("figure", name) for name in FIGURES}),
        (
            {
                "experiments": {
                    "local_convergence": {"measures": {"drawn_steps": 50}},
                    "trajectories": {"descent": {"learning_rate": 0.2}},
                    "svm_rank": {"problems": {"instances": 5}},
                }
            },
            {("measures", "local_convergence"), ("descent", "trajectories"), ("problems", "svm_rank")},
        ),
    ],
    ids=["of all figures", "of a stage each"],
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


def test_results_and_figures_copied_into_a_fresh_clone_are_up_to_date_until_code_changes(fresh):
    """Whatever its date; found once: with Frobenius doubled and the nuclear solver cut short nothing was to be done."""
    folder = fresh("results", "figures")
    assert NOTHING in dry(folder).stdout
    changes = {"attnsvm/geometry/fro.py": CODE, "attnsvm/svm/methods/interior_point.py": CODE}
    wanted = predicted(folder, changes)
    assert {("svm", name) for name in EXPERIMENTS if "svm" in CARDS[name].stages} <= wanted
    with edited(folder, changes, LONG_AGO):
        assert scheduled(dry(folder)) == wanted


def test_results_copied_into_a_fresh_clone_are_only_drawn(fresh):
    assert scheduled(dry(fresh("results"), "figures/all")) == ALL["figure"] | {("provenance", name) for name in FIGURES}


def test_a_deleted_intermediate_behind_a_figure_that_is_there_is_not_missed(copy):
    """As docs/trust.md says: what is up to date stands, and what is needed for something else is built anew."""
    for path in (copy / BUILT / "results/svm_rank").glob("*/*.npz"):
        path.unlink()
    assert NOTHING in dry(copy).stdout
    (copy / BUILT / "results/svm_rank/measures.parquet").unlink()
    (copy / BUILT / "figures/svm_rank.png").unlink()
    wanted = {(rule, "svm_rank") for rule in (*CARDS["svm_rank"].stages, "figure", "provenance")}
    assert scheduled(dry(copy, "figures/all")) == wanted


def test_a_figure_is_drawn_anew_though_the_new_intermediates_are_gone(copy):
    """A run with other problems is killed when it trains, the problems it drew are deleted: found by the soak."""
    other, block = {"experiments": {"trajectories": {"problems": {"T": 4}}}}, f"{BUILT}/results/trajectories/seeds-1-1"
    old = snapshot(copy, f"{BUILT}/figures/trajectories.csv")
    build(copy, f"{block}/problems.npz", extra=other)
    for stage in ("problems", "descent"):
        (copy / f"{block}/{stage}.npz").unlink()
    build(copy, "figures/trajectories", extra=other)
    assert snapshot(copy, f"{BUILT}/figures/trajectories.csv") != old
