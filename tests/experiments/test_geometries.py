"""Every rule against every norm: the table against single solves and margins one by one, the control."""

from itertools import combinations

import numpy as np

from attnsvm import geometry
from attnsvm.experiments.beyond.geometries import descent, measures
from attnsvm.svm import separation, solve

SMALL = {"problems": {"n": 3, "T": 4, "d": 6, "first_seed": 5, "instances": 4}, "descent": {"steps": 200, "points": 4}}
NORMS = ("fro", "linf", "spectral")  # all: test_every_smoke_run.py
INSTEAD = {(descent, "NORMS"): NORMS}
KINDS = ("trained", "untrained")


def by_hand(run):
    """{(kind, rule, norm, step): ratios of the instances}, an instance, a norm and a step at a time."""
    found = {}
    for _, s, p, t, _ in run.each():
        for rule, log in t.items():
            selected = log["probabilities"][s].argmax(1)
            constraints = separation(p["tokens"][s], p["queries"][s], selected)
            total = constraints.adjoint(np.ones(len(constraints)))
            for norm in t:
                measure, best = geometry.get(norm), geometry.get(norm).value(solve(constraints, norm).W)
                for step, W in zip(log["steps"], log["weights"][s], strict=True):
                    ratio = constraints.apply(W).min() / measure.value(W) * best
                    found.setdefault(("trained", rule, norm, int(step)), []).append(ratio)
                W = geometry.get(rule).steepest(total)
                ratio = constraints.apply(W).min() / measure.value(W) * best
                found.setdefault(("untrained", rule, norm, int(log["steps"][-1])), []).append(ratio)
    return found


def test_the_table_is_its_definition(run):
    found, rules = by_hand(run), NORMS
    table = run.table.set_index(["quantity", "kind", "rule", "norm", "step"])
    assert len(run.table) == (4 + 1) * (9 + 3 + 3 + 1)
    for (kind, rule, norm, step), ratios in found.items():
        row = table.loc[("ratio", kind, rule, norm, step)]
        assert row.instances == len(ratios) == 4
        # 1e-6: single and batched solves agree to their gaps of 1e-7, times a ratio of order one.
        expected = np.quantile(ratios, (0.5, 0.25, 0.75))
        np.testing.assert_allclose(row[["value", "low", "high"]].astype(float), expected, rtol=0, atol=1e-6)
    for kind in KINDS:
        whole = np.ones(4, dtype=bool)
        for own in rules:
            across = np.array([found[kind, own, norm, 200] for norm in rules])
            down = np.array([found[kind, rule, own, 200] for rule in rules])
            for quantity, values in (("row", across), ("column", down)):
                hits = values.argmax(0) == rules.index(own)
                assert table.loc[(quantity, kind, own, own, 200)].value == hits.mean()
                whole &= hits
        assert table.loc[("all", kind, "every", "every", 200)].value == whole.mean()


def test_rules_start_from_the_same_weights_and_step_by_the_rate_in_their_own_norm(run):
    """After one step the runs differ by two steps: none is longer than the rate in the norm of its rule."""
    for _, _, t, _ in run.cells:
        first = {rule: log["weights"][:, 0] for rule, log in t.items()}
        assert all(log["steps"][0] == 1 for log in t.values())
        longest = {"fro": 1.0, "linf": 6.0, "spectral": 6**0.5}  # Frobenius length of a step of length one, d = 6
        for one, other in combinations(NORMS, 2):
            apart = np.linalg.norm(first[one] - first[other], axis=(1, 2))
            assert (apart <= 0.1 * (longest[one] + longest[other]) + 1e-12).all()
            assert (apart > 0).all()


def test_the_largest_must_exceed_all_others():
    values = np.array([[1.0, 2.0, 3.0], [3.0, 3.0, 1.0], [5.0, 4.0, 1.0]])
    assert measures.largest(values, 0).tolist() == [False, False, True]
