"""What an edit reruns, asked of Snakemake: dry runs, with new and with old dates, say what the table says, job by job.

The table is computed by edits.py, and tested in test_edits_table.py.
"""

import os
import shutil

import pytest
from edits import (
    ALL,
    CARDS,
    CODE,
    COMMENT,
    EXPERIMENTS,
    FIGURES,
    LOCAL,
    RANK,
    Repository,
    append,
    change,
    following,
    with_keys,
    with_setting,
)
from harness import BUILT, LONG_AGO, NOTHING, ROOT, clone, dry, edited, scheduled

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
        **{"attnsvm/geometry/fro.py": CODE},
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
    "provenance": {"attnsvm/building/provenance.py": CODE},
    "templates of the audit": {"attnsvm/audit/page.html.j2": append("<!-- edited -->")},
    "plumbing": {
        **{
            f"attnsvm/building/{name}.py": CODE for name in ("progress", "script", "stages", "cards", "answers", "jobs")
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
        "attnsvm/geometry/fro.py": CODE,
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
