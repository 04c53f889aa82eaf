"""The audit: verdicts follow the tables, and one changed number flips its verdict."""

import shutil
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from attnsvm.pipeline import answers as certificates
from attnsvm.audit import CLAIMS, Tables, audit
from attnsvm.audit.pages import html, markdown, number
from attnsvm.audit.reading import DIFFERS, FAILS, HOLDS, IN_PART, UNTESTABLE, Reading
from attnsvm.errors import UserError
from attnsvm.experiments import EXPERIMENTS
from attnsvm.plots.audit import SHORT, draw

KEYS = [claim.key for claim in CLAIMS]


def shares(rows):
    return pd.DataFrame(rows).assign(instances=500).pipe(lambda t: t.assign(low=t.share - 0.02, high=t.share + 0.02))


def convergence(x, values):
    """Types at two values of `x`: a global share for each; 2 % not local at the first."""
    rows = []
    for shape in ({"n": 3, "T": 3}, {"n": 5, "T": 5}):
        for p in ("W", "KQ"):
            for k, (at, glob) in enumerate(values.items()):
                base = {**shape, "d": 10, x: at, "parametrisation": p}
                lost = 0.004 if k == 0 else 0.0
                kinds = {"global": glob, "local": 1 - lost, "not_local": lost, "not_saturated": 0, "all_support": 0.5}
                kinds["all_support_not_global"] = 0.0
                rows += [{**base, "type": kind, "share": share} for kind, share in kinds.items()]
    return shares(rows)


def local():
    ends = {("W", "corr_fro"): 0.99, ("W", "corr_nuc"): 0.8, ("KQ", "corr_fro"): 0.8, ("KQ", "corr_nuc"): 0.99}
    rows = [{"parametrisation": p, "quantity": q, "step": 100, "mean": v} for (p, q), v in ends.items()]
    return pd.DataFrame(rows).assign(std=0.05, instances=100)


def rank():
    rows = []
    for norm in ("fro", "nuc"):
        for d, feasible in ((2, 0), (10, 100)):
            base = {"n": 5, "T": 5, "d": d, "norm": norm, "instances": 100}
            own = {"rank_mean": 3.0, "rank_max": 4, "outside_max": 1e-15} if feasible else {}
            rows.append({**base, "method": "certified", "feasible": feasible, "rank_std": 0.5, **own})
            drawn = 1.0 if not feasible else 4.9 if norm == "nuc" else 3.0
            rows.append({**base, "method": "published", "feasible": feasible, "rank_std": 0.5, "rank_mean": drawn})
    return pd.DataFrame(rows)


def growth():
    rows = []
    for condition in ("all_support", "equal_scores", "neither", "contradicting"):
        for seed in range(20):
            for step, norm in ((1, 1.0), (1000, 8.0), (10000, 10.0)):
                settled = condition == "contradicting"
                row = {"condition": condition, "seed": seed, "step": step, "norm": 3.0 if settled else norm}
                rows.append(row | {"gradient_norm": 1e-9 if settled else 1e-4})
    return pd.DataFrame(rows)


def multi():
    rows = [
        {"d": d, "panel": "curve", "solution": name, "step": 2001, "value": value}
        for d in (4, 10)
        for name, value in (("svmeq", 0.006), ("svmeq_norm", 0.008), ("mm", 0.05), ("one_token", 0.1))
    ]
    rows += [
        {"d": 10, "panel": "scatter", "solution": "svmeq", "step": 2001, "value": 0.006 + 1e-4 * (s % 3), "seed": s}
        for s in range(30)
    ]
    return pd.DataFrame(rows).assign(accepted=30, tried=300)


def figures():
    """A made-up set of tables in which every claim of the paper holds and every defect of print shows."""
    types = convergence("d", {2: 0.3, 64: 0.99})
    tables = {
        "feasibility": shares(
            {"n": 5, "T": 5, "d": d, "attention": a, "alpha": alpha, "share": 0.5 if d < 5 else 1.0}
            for d in (3, 5, 8)
            for a in ("cross", "self")
            for alpha in ("optimal", "random", "worst")
        ),
        "svm_rank": rank(),
        "normalisation": pd.DataFrame(
            {
                "normalisation": kind,
                "parametrisation": p,
                "step": k,
                "mean": v,
                "median": v / k,
                "low": v / 2,
                "high": 2 * v,
            }
            for kind in ("published", "exact")
            for p, v in (("W", 1e-6), ("KQ", 4e-3))
            for k in (1, 10, 100)
        ).assign(instances=100),
        "local_convergence": local(),
        "convergence_types": types,
        "self_attention": pd.concat(
            [local().assign(experiment="self_local_convergence"), types.assign(experiment="self_convergence_types")]
        ),
        "token_count": convergence("T", {2: 0.99, 24: 0.5}).query("n == 5"),
        "norm_growth": growth(),
        "cone": shares(
            {"kind": kind, "R": R, "mu": mu, "end": end}
            | {"share": R / 1000 - mu / 10 if kind == "locally_optimal" else 0.0}
            for kind in ("locally_optimal", "not_locally_optimal")
            for R in (500.0, 1000.0)
            for mu in (0.0, 0.1)
            for end in ("stayed", "converged")
        ),
        "regularisation_path": pd.DataFrame(
            {"norm": norm, "R": R, "distance": (1 + 0.01 * s) / R, "gap": 1e-9, "seed": s}
            for norm in ("fro", "nuc")
            for R in (1.0, 10.0, 100.0, 1000.0)
            for s in range(5)
        ),
        "multi_token": multi(),
        "penalised_head": pd.DataFrame(
            {"lambda": x, "selected": k, "optimal": k, "solution": name, "value": v, "seed": s}
            for k, x in ((3, 0.1), (5, 1.0))
            for name, v in (("mm", 0.02), ("svmeq", 0.01))
            for s in range(10)
        ),
        "sequence": pd.DataFrame(
            {"attention": a, "parametrisation": p, "step": 100, "mean": 0.999, "std": 0.001, "instances": 100}
            for a in ("sequence", "causal")
            for p in ("W", "KQ")
        ),
        "positional": pd.DataFrame(
            {"tokens": t, "quantity": "norm", "seed": s, "value": v}
            for t, v in (("plain", 3.0), ("encoded", 4.0), ("added", 5.0))
            for s in range(50)
        ),
    }
    return tables


# One number of one table for each claim that can be tested: which row (a query), which column, its new value.
FLIPS = {
    "feasibility": ("feasibility", "d == 5 and alpha == 'worst' and attention == 'self'", "share", 0.99, IN_PART),
    "rank_bound": ("svm_rank", "method == 'certified' and d == 10 and norm == 'nuc'", "rank_max", 6, IN_PART),
    "row_space": ("svm_rank", "method == 'certified' and d == 10 and norm == 'fro'", "outside_max", 1e-3, IN_PART),
    "W_to_frobenius": ("normalisation", "normalisation == 'exact' and parametrisation == 'W'", "mean", 0.01, IN_PART),
    "KQ_to_nuclear": (
        "normalisation",
        "normalisation == 'exact' and parametrisation == 'KQ' and step == 100",
        "median",
        0.1,
        IN_PART,
    ),
    "own_norm": ("local_convergence", "parametrisation == 'W' and quantity == 'corr_nuc'", "mean", 0.999, IN_PART),
    "global_grows": (
        "convergence_types",
        "d == 2 and n == 3 and parametrisation == 'W' and type == 'global'",
        "high",
        0.999,
        IN_PART,
    ),
    "locally_optimal": (
        "convergence_types",
        "d == 2 and n == 5 and parametrisation == 'KQ' and type == 'not_local'",
        "share",
        0.2,
        IN_PART,
    ),
    "token_count": ("token_count", "T == 24 and parametrisation == 'W' and type == 'global'", "high", 0.999, IN_PART),
    "self_own_norm": ("self_attention", "parametrisation == 'KQ' and quantity == 'corr_fro'", "mean", 0.999, IN_PART),
    "self_locally_optimal": (
        "self_attention",
        "d == 2 and n == 5 and parametrisation == 'KQ' and type == 'not_local'",
        "share",
        0.2,
        IN_PART,
    ),
    "diverges": ("norm_growth", "condition == 'all_support' and seed == 7 and step == 10000", "norm", 8.0, IN_PART),
    "settles": ("norm_growth", "condition == 'contradicting' and seed == 3 and step == 10000", "norm", 4.0, FAILS),
    "stays": (
        "cone",
        "kind == 'locally_optimal' and R == 1000 and mu == 0.1 and end == 'converged'",
        "share",
        0.9,
        IN_PART,
    ),
    "leaves": (
        "cone",
        "kind == 'not_locally_optimal' and R == 500 and mu == 0 and end == 'stayed'",
        "share",
        0.5,
        IN_PART,
    ),
    "path_fro": ("regularisation_path", "norm == 'fro' and R == 1000 and seed == 2", "distance", 1.0, IN_PART),
    "path_nuc": ("regularisation_path", "norm == 'nuc' and R == 1 and seed == 0", "gap", 0.1, IN_PART),
    "generalised_svm": (
        "multi_token",
        "d == 4 and solution == 'svmeq_norm' and panel == 'curve'",
        "value",
        0.5,
        IN_PART,
    ),
    "selected_count": ("penalised_head", "seed == 0 and solution == 'svmeq' and optimal == 3", "selected", 30, IN_PART),
    "sequence": ("sequence", "attention == 'sequence' and parametrisation == 'W'", "mean", 0.5, IN_PART),
    "causal": ("sequence", "attention == 'causal' and parametrisation == 'KQ'", "mean", 0.5, IN_PART),
    "positional": ("positional", "tokens == 'added'", "value", 2.0, IN_PART),
    "print_infeasible": ("svm_rank", "method == 'published' and d == 2", "rank_mean", 0.0, HOLDS),
    "print_noise": ("svm_rank", "method == 'published' and d == 10 and norm == 'nuc'", "rank_mean", 3.1, HOLDS),
    "print_oracle": ("multi_token", "solution == 'svmeq_norm'", "value", 0.006, HOLDS),
    "print_rejections": ("multi_token", "d == 10", "tried", 30, HOLDS),
    "global_under_conditions": (
        "convergence_types",
        "d == 2 and n == 3 and parametrisation == 'KQ' and type == 'all_support_not_global'",
        "share",
        0.3,
        IN_PART,
    ),
}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "figures").mkdir()
    for name, table in figures().items():
        table.to_csv(tmp_path / f"figures/{name}.csv", index=False)
    for k, name in enumerate(EXPERIMENTS):
        (tmp_path / f"results/{name}").mkdir(parents=True)
        arrays = {"fro_status": np.array(["solved"] * (k + 1) + ["infeasible"]), "fro_gap": np.full(k + 2, 1e-12)}
        certificates.total([certificates.count(arrays)]).to_csv(tmp_path / f"results/{name}/certificates.csv")
    return tmp_path


def verdicts(folder):
    return audit(Tables(folder)).set_index("key")["verdict"].to_dict()


def test_where_every_check_is_met_the_claims_hold_and_print_differs(folder):
    found = verdicts(folder)
    groups = {claim.key: claim.group for claim in CLAIMS}
    assert list(found) == KEYS
    assert {key: v for key, v in found.items() if groups[key] == "paper"} == {
        key: HOLDS for key in KEYS if groups[key] == "paper"
    }
    assert {found[key] for key in KEYS if groups[key] == "print"} == {DIFFERS}
    assert (found["positional"], found["multi_head"]) == (FAILS, UNTESTABLE)


def test_every_testable_claim_has_a_flip_here():
    assert set(FLIPS) == {claim.key for claim in CLAIMS if claim.testable}


@pytest.mark.parametrize("key", FLIPS)
def test_a_changed_number_in_a_copy_flips_the_verdict(folder, tmp_path_factory, key):
    name, rows, column, value, expected = FLIPS[key]
    copy = shutil.copytree(folder, tmp_path_factory.mktemp("copy") / "run")
    table = pd.read_csv(copy / f"figures/{name}.csv")
    hit = table.eval(rows) if name != "self_attention" else table.query(rows).index
    table[column] = table[column].astype(float)
    table.loc[hit, column] = value
    table.to_csv(copy / f"figures/{name}.csv", index=False)
    before, after = audit(Tables(folder)).set_index("key"), audit(Tables(copy)).set_index("key")
    assert after.loc[key, "verdict"] == expected
    assert before.loc[key, "verdict"] != expected


def test_a_verdict_follows_the_parts():
    reading = Reading(1.0, 0.9, 1.1, 10, {"a": True, "b": True})
    assert reading.verdict == HOLDS
    assert replace(reading, parts={"a": True, "b": False}).verdict == IN_PART
    assert replace(reading, parts={"a": False, "b": False}).verdict == FAILS
    assert replace(reading, parts={"a": True, "b": False}, published=2.0).verdict == DIFFERS
    assert replace(reading, published=1.0).verdict == HOLDS


@pytest.mark.parametrize(
    ("name", "rows", "key"),
    [
        ("penalised_head", "solution == 'none'", "selected_count"),
        ("cone", "kind == 'not_locally_optimal'", "stays"),
        ("feasibility", "d < 5", "feasibility"),
        ("svm_rank", "d == 10", "print_infeasible"),
    ],
)
def test_a_claim_without_an_instance_is_untestable_and_says_so(folder, name, rows, key):
    pd.read_csv(folder / f"figures/{name}.csv").query(rows).to_csv(folder / f"figures/{name}.csv", index=False)
    row = audit(Tables(folder)).set_index("key").loc[key]
    assert row.verdict == UNTESTABLE
    assert row.why == "this run has no instance that the check could be made on"


def test_a_missing_table_ends_with_its_sentence(folder):
    (folder / "figures/cone.csv").unlink()
    with pytest.raises(UserError, match=r"figures/cone\.csv: missing; run snakemake"):
        audit(Tables(folder))


def test_the_pages_say_every_claim_and_how_many_certificates_failed(folder):
    from attnsvm.audit import certificates as proofs

    tables = Tables(folder)
    claims, counted = audit(tables), proofs(tables)
    checked = sum(k + 2 for k in range(len(EXPERIMENTS)))
    assert counted.checked.sum() == checked
    for page in (html(claims, counted), markdown(claims, counted)):
        assert f"{checked} SVM certificates checked, 0 failed" in page
        for claim in CLAIMS:
            assert claim.statement.split("'")[0] in page
            assert not claim.figure or f"../../figures/{claim.figure}.png" in page
    counted.loc[0, "uncertified"] = 3
    assert "SVM certificates checked, 3 failed" in markdown(claims, counted)


def test_certificates_are_counted_by_status_and_solve():
    arrays = {
        "W_fro_status": np.array(["solved", "infeasible", "uncertified", "solved"]),
        "W_fro_gap": np.array([1e-12, np.inf, 0.5, 3e-11]),
        "W_fro_residual": np.array([np.nan, 2e-16, np.nan, np.nan]),
        "W_fro_W": np.zeros((4, 2, 2)),
        "status": np.array(["solved"]),
    }
    counted = certificates.total([certificates.count(arrays), certificates.count(arrays)]).set_index("solve")
    row = counted.loc["W_fro"]
    assert tuple(row[["solved", "infeasible", "uncertified"]]) == (4, 2, 2)
    assert (row.largest_gap, row.largest_residual) == (3e-11, 2e-16)
    assert counted.loc["", "solved"] == 2


def test_the_overview_draws_every_claim_and_its_verdict(folder):
    table = audit(Tables(folder))
    assert set(SHORT) == set(KEYS)
    figure = draw(table, {"width": 6.75, "font_size": 8})
    texts = [text.get_text() for text in figure.axes[0].texts]
    assert all(SHORT[key] in texts for key in KEYS)
    for verdict, count in table.verdict.value_counts().items():
        assert texts.count(verdict) == count
    # No two texts of a line overlap.
    figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in figure.axes[0].texts]
    for one in range(len(boxes)):
        assert sum(boxes[one].overlaps(other) for other in boxes) == 1


@pytest.mark.parametrize(
    ("value", "text"), [(0.0, "0"), (0.98, "0.98"), (1e-9, "1.0e-09"), (12345.6, "1.2e+04"), (np.nan, "–")]
)
def test_numbers_are_written_short(value, text):
    assert number(value) == text
